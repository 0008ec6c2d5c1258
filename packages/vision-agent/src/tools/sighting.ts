// frame result → what is in the picture, as data and in words
import type { ImagePart, ToolContext } from "@vision-agent/agent-core";
import type { ClassCount, Detections, FrameResult, SeenBox, Sighting } from "@vision-agent/protocol";
import type { Picture } from "@vision-agent/vision-engine";
import { countNames, detectionsIn } from "../pipelines/summarize-results.ts";
import { type PictureOrigin, toSources } from "../store/picture-origin.ts";
import { PICTURE_EDGE, type Resized, type ResizeOptions } from "./resize-picture.ts";

const BOXES_SHOWN = 8;
const LONGEST_FIGURE = 40;
const SIMULATED = "sim/truth";

export function toSighting(
  subject: string,
  result: FrameResult,
  { models = [], notes = [] }: { readonly models?: readonly string[]; readonly notes?: readonly string[] } = {},
): Sighting {
  const found = mainDetections(result);
  const { width, height, timestamp } = result.frame;
  return {
    subject,
    counts: [...countNames(found?.class_name ?? [])],
    figures: figuresOf(result),
    frame: { width, height, timestamp },
    boxes: [...boxesOf(found)].slice(0, BOXES_SHOWN),
    boxes_total: found?.class_name.length ?? 0,
    models: [...models],
    notes: [...notes, ...(found?.note === undefined ? [] : [found.note])],
  };
}

/** The fullest set of boxes, tracked ones first: others are parts of it, such as what crossed in this frame. */
export function mainDetections(result: FrameResult): Detections | undefined {
  const weight = (detections: Detections): number =>
    detections.class_name.length + (detections.tracker_id === null ? 0 : Number.MAX_SAFE_INTEGER / 2);
  return detectionsIn(result).toSorted((a, b) => weight(b) - weight(a))[0];
}

/** Name of the drawn picture among the outputs, when the workflow has one. */
export function imageOutput(result: FrameResult): string | undefined {
  return Object.entries(result.outputs).find(([, output]) => output.kind === "image")?.[0];
}

function figuresOf(result: FrameResult): Sighting["figures"] {
  return Object.entries(result.outputs).flatMap(([name, output]) => {
    if (output.kind !== "value" || output.value === null || typeof output.value === "object") return [];
    const value = String(output.value);
    return value.length <= LONGEST_FIGURE && !/[,;\n]/.test(value) ? [{ name, value }] : [];
  });
}

/** The largest first. */
function boxesOf(detections: Detections | undefined): readonly SeenBox[] {
  if (detections === undefined) return [];
  const boxes = detections.class_name.map((class_name, row): SeenBox => {
    const [left = 0, top = 0, right = 0, bottom = 0] = detections.xyxy.slice(row * 4, row * 4 + 4);
    const confidence = detections.confidence[row] ?? 0;
    return { class_name, confidence, tracker_id: detections.tracker_id?.[row], xyxy: [left, top, right, bottom] };
  });
  const area = ({ xyxy: [left, top, right, bottom] }: SeenBox): number => (right - left) * (bottom - top);
  return boxes.toSorted((a, b) => area(b) - area(a));
}

/** e.g. `street: 3 person, 1 car; count_in 4, count_out 2.` */
export function renderCounts({ subject, counts, figures }: Pick<Sighting, "subject" | "counts" | "figures">): string {
  const values = figures.map(({ name, value }) => `${name} ${value}`).join(", ");
  return `${subject}: ${formatCounts(counts) || "nothing"}${values === "" ? "" : `; ${values}`}.`;
}

export function formatCounts(counts: readonly ClassCount[]): string {
  return counts.map(({ class_name, count }) => `${count} ${class_name}`).join(", ");
}

/** In pixels of the frame: `person#3 0.91 at 10,20,110,220`; no line when there is no box. */
export function renderBoxes({ boxes, boxes_total }: Sighting): readonly string[] {
  if (boxes.length === 0) return [];
  const shown = boxes.map(({ class_name, tracker_id, confidence, xyxy }) => {
    const name = `${class_name}${tracker_id === undefined ? "" : `#${tracker_id}`}`;
    return `${name} ${confidence.toFixed(2)} at ${xyxy.map(Math.round).join(",")}`;
  });
  const rest = boxes_total > boxes.length ? `; and ${boxes_total - boxes.length} more` : "";
  return [`Boxes (left,top,right,bottom): ${shown.join("; ")}${rest}`];
}

/** Models by name; a simulated one is called so, that nobody takes it for a detector. */
export function describeModels(models: readonly string[]): string {
  return models
    .map((id) => (id === SIMULATED ? `${id} (simulated: reads the scene's script, looks at no pixels)` : id))
    .join(", ");
}

/** The same with the size that `showPicture` shows it in. */
export function withShown(
  seen: Sighting,
  { width, height }: Pick<Picture, "width" | "height">,
  maxEdge: number = PICTURE_EDGE,
): Sighting {
  const scale = Math.min(1, maxEdge / Math.max(width, height));
  return { ...seen, shown: { width: Math.round(width * scale), height: Math.round(height * scale) } };
}

/** Sizes of the frame and of what is shown of it: boxes, lines and zones are in pixels of the frame. */
export function sizeInWords({ frame, shown }: Pick<Sighting, "frame" | "shown">): string {
  const size = `${frame.width}x${frame.height} px`;
  if (shown === undefined || shown.width === frame.width) return size;
  return `${size} (the picture shown is ${shown.width}x${shown.height}; boxes are in pixels of the frame)`;
}

export interface ShowPictureOptions {
  readonly resize: (bytes: Uint8Array, options: ResizeOptions) => Promise<Resized>;
  readonly context: Pick<ToolContext, "putImage">;
  readonly origin: PictureOrigin | undefined;
  /** Longest side in pixels. Default `PICTURE_EDGE`. */
  readonly maxEdge?: number | undefined;
}

/** The part that shows a picture, made smaller where it is too large; `seen`: what is on it. */
export async function showPicture(
  { jpeg, width, height }: Pick<Picture, "jpeg" | "width" | "height">,
  seen: Pick<Sighting, "subject" | "counts" | "figures">,
  { resize, context, origin, maxEdge = PICTURE_EDGE }: ShowPictureOptions,
): Promise<ImagePart> {
  const fits = Math.max(width, height) <= maxEdge;
  const bytes = fits ? jpeg : (await resize(jpeg, { maxEdge })).bytes;
  const sources = origin && toSources(origin);
  return context.putImage(bytes, { mimeType: "image/jpeg", alt: renderCounts(seen), sources });
}
