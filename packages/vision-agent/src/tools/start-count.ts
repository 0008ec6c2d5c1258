// camera, classes, a line or zone in words → a counting workflow, running
import { isDeepStrictEqual } from "node:util";
import type { CameraPlace } from "@vision-agent/protocol";
import { countSpec } from "../pipelines/counted-places.ts";
import { rateDoubt } from "../pipelines/rate-doubt.ts";
import { placeInWords, wayInWords } from "../scene/scene-words.ts";
import type { CameraRegistry, RegisteredCamera } from "../workspace/camera-registry.ts";
import { pipelineEffect } from "./effects.ts";
import { type ToolArguments, visionTool } from "./graded-tool.ts";
import { toClasses } from "./known-classes.ts";
import { findCamera, unknownCamera } from "./known-source.ts";
import { quoteWords } from "./quote-words.ts";
import type { ToolParts } from "./tool-parts.ts";
import { toCountingPlace, WATCH_PROPERTIES } from "./watch-arguments.ts";
import { toToolFailure } from "./workflow-argument.ts";

const PROBE_MS = 20_000;
const LONGEST_NAME = 64;
/** Where nothing is said: things go left and right across it. */
const USUAL_LINE = "vertical middle";

const PROPERTIES = {
  camera: { type: "string" },
  classes: WATCH_PROPERTIES.classes,
  line: {
    ...WATCH_PROPERTIES.line,
    description: "To count crossings; as in create_watch. Default: the vertical middle.",
  },
  zone: { ...WATCH_PROPERTIES.zone, description: "Instead of a line: to count what is in it at a time." },
  model_id: WATCH_PROPERTIES.model_id,
} as const;
type StartCountArgs = ToolArguments<typeof PROPERTIES, "camera">;

type StartCountParts = Pick<ToolParts, "pipelines" | "detectorFor" | "classesOf" | "places" | "probe"> & {
  readonly cameras: CameraRegistry;
};

/** What "in" and "out" are, for whoever looks at the picture. */
interface CountedPlace {
  readonly place: CameraPlace;
  readonly directions?: { readonly in: string; readonly out: string };
}

export function startCountTool(options: StartCountParts) {
  const { pipelines, cameras } = options;
  return visionTool({
    name: "start_count",
    description:
      "Count what crosses a line, or what is in a zone, from now on, across restarts. Needs no workflow and no picture. Figures: get_pipeline_results; crossings by day or hour: search_events.",
    required: ["camera"],
    properties: PROPERTIES,
    picturesOf: ({ camera }) => ({ cameras: [camera], to: ["server"] }),
    gradeOf({ camera, classes = [] }) {
      const what = classes.map((name) => quoteWords(name, 40)).join(" and ") || "everything";
      const refusal = async () => (cameras.find(camera) === undefined ? unknownCamera(cameras, camera) : undefined);
      return { grade: "change", question: `May I count ${what} on ${quoteWords(camera, 64)} from now on?`, refusal };
    },
    async run(args, { signal }) {
      const camera = findCamera(cameras, args.camera);
      if (camera === undefined) throw new Error(unknownCamera(cameras, args.camera));
      const classes = toClasses({ classes: args.classes ?? [], model_id: args.model_id }, [camera], options);
      const counted = toCounted(args, camera, options);
      const { width, height, fps } = await frameSize(camera, options, signal);
      const model_id = args.model_id ?? options.detectorFor(camera.address);
      const { place } = counted;
      const what = { kind: place.kind, model_id, classes: [...classes], width, height };
      const spec = countSpec(what, place);
      const isNamed = isDeepStrictEqual(options.places.find(camera.name, place.name), place);
      const doubt = place.kind === "line" ? rateDoubt(camera.name, fps) : undefined;
      const about = { ...counted, camera: camera.name, classes: [...classes], ...(doubt && { doubt }) };
      const same = pipelines
        .actives()
        .find((one) => one.video_reference === camera.name && isDeepStrictEqual(one.spec, spec));
      if (same) return { data: { ...about, pipeline: pipelines.get(same.id), is_new: false, effects: [] } };
      try {
        const { pipeline_id } = await pipelines.start({
          videoReference: camera.name,
          spec,
          name: nameOf(camera, classes),
          // A place without a name stays where it is.
          ...(isNamed && { counted: { ...what, place: place.name } }),
        });
        const pipeline = pipelines.get(pipeline_id);
        return { data: { ...about, pipeline, is_new: true, effects: [pipelineEffect("started", pipeline)] } };
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
    render({ pipeline, camera, classes, place, directions, doubt, is_new }) {
      const what = classes.join(", ") || "everything";
      const { pipeline_id: id, name, status } = pipeline;
      const head = is_new
        ? "Counting."
        : `Nothing new was started: this is counted already, by ${name} (${id}), which is ${status}.`;
      const where = place.kind === "line" ? `crossing ${placeInWords(place)}` : `in ${placeInWords(place)}`;
      const ways = directions && `"In" is ${directions.in}, "out" is ${directions.out}.`;
      const outputs = place.kind === "line" ? "count_in and count_out, since its start" : "count_in_zone, now";
      const past =
        place.kind === "line"
          ? " search_events with kind line_crossed counts crossings of any day, over restarts."
          : "";
      return [
        head,
        `${name} (${id}) counts ${what} ${where} on ${camera}.`,
        ways,
        `get_pipeline_results ${id} tells ${outputs}.${past}`,
        doubt,
      ]
        .filter(Boolean)
        .join("\n");
    },
  });
}

function toCounted(args: StartCountArgs, camera: RegisteredCamera, { places }: StartCountParts): CountedPlace {
  const find = (name: string): CameraPlace | undefined => places.find(camera.name, name);
  const given = args.line === undefined && args.zone === undefined ? { line: USUAL_LINE } : args;
  const place = toCountingPlace(given, find);
  if (place === undefined) throw new Error("Give a line or a zone.");
  if (place.kind === "zone") return { place };
  const wayOf = (way: "in" | "out"): string => place.directions?.[way] ?? wayInWords(place.points, way);
  return { place, directions: { in: wayOf("in"), out: wayOf("out") } };
}

/** Of what runs on it, else it is opened once. */
async function frameSize(
  camera: RegisteredCamera,
  { pipelines, probe }: Pick<StartCountParts, "pipelines" | "probe">,
  signal: AbortSignal,
): Promise<{ readonly width: number; readonly height: number; readonly fps: number }> {
  const running = pipelines.onCamera(camera.name);
  const [last] = running === undefined ? [] : await pipelines.results(running.pipeline_id, 1);
  if (last !== undefined) return last.frame;
  const opened = await probe(camera.address, AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]));
  if (opened.ok) return opened;
  throw new Error(`Nothing was started: ${camera.name} does not open. ${opened.message}`);
}

function nameOf({ name }: RegisteredCamera, classes: readonly string[]): string {
  const words = [name, ...classes.slice(0, 3), "count"].join("-");
  return words
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, LONGEST_NAME);
}
