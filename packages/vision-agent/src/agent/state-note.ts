// cameras + pipelines + watches + tasks + time → the note at the tail of a message
import type { WatchReport } from "@vision-agent/protocol";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import { describeWatch } from "../watches/watch-words.ts";
import type { CameraRegistry, RegisteredCamera } from "../workspace/camera-registry.ts";
import type { PlaceStore } from "../workspace/place-store.ts";
import { isPlain } from "./plain-text.ts";

export interface StateNoteOptions {
  readonly cameras: Pick<CameraRegistry, "list">;
  /** Zones and lines that have names. */
  readonly places?: Pick<PlaceStore, "list">;
  /** Home, away, night or an own one. */
  readonly mode?: () => string;
  readonly pipelines: Pick<PipelineRegistry, "list">;
  readonly watches?: Pick<WatchRegistry, "list">;
  /** A line for each job of the schedule. */
  readonly tasks?: () => Promise<readonly string[]>;
  /** The detector a workflow uses on this camera unless the person names another. */
  readonly modelFor: (camera: RegisteredCamera) => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** IANA name. */
  readonly timeZone: string;
}

/** Everything that may differ at the next message. */
export async function describeState(options: StateNoteOptions): Promise<string> {
  return [
    `Now: ${localTime(options)}.${options.mode ? ` Mode: ${options.mode()}.` : ""}`,
    listOf(
      "Cameras",
      options.cameras
        .list()
        .filter(isPlainCamera)
        .map((camera) => `${cameraLine(camera, options.modelFor(camera))}${placesOf(camera, options.places)}`),
    ),
    listOf("Pipelines", pipelineLines(options.pipelines)),
    ...(options.watches ? [listOf("Watches", options.watches.list().map(withoutReason).map(describeWatch))] : []),
    ...(options.tasks ? [listOf("Tasks", await options.tasks())] : []),
  ].join("\n");
}

/** Cameras whose texts are no plain words: whoever wrote them, they count as text from outside. */
export function describeOddCameras({ cameras, modelFor }: StateNoteOptions): string {
  const odd = cameras.list().filter((camera) => !isPlainCamera(camera));
  const lines = odd.map((camera) => cameraLine(camera, modelFor(camera)));
  return lines.length === 0 ? "" : listOf("Further cameras", lines);
}

const MOST_WORDS = { name: 6, location: 20, notes: 40 } as const;

function isPlainCamera(camera: RegisteredCamera): boolean {
  return (["name", "location", "notes"] as const).every((field) => isPlain(camera[field], MOST_WORDS[field]));
}

function localTime({ now, timeZone }: StateNoteOptions): string {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "full", timeStyle: "short" });
  return `${parts.format(now())} (${timeZone})`;
}

function cameraLine({ name, source, location, notes }: RegisteredCamera, model: string): string {
  const about = [location, notes].filter((text) => text !== "").join("; ");
  return `${name}: ${source}, model ${model}${about === "" ? "" : ` (${about})`}`;
}

/** A name may stand in PLACES.md that says more than a name. */
function placesOf({ name }: RegisteredCamera, places: StateNoteOptions["places"]): string {
  const named = (places?.list(name) ?? []).filter((place) => isPlain(place.name, MOST_WORDS.name));
  return named.length === 0 ? "" : `; places: ${named.map((place) => `${place.name} (${place.kind})`).join(", ")}`;
}

/** Why one cannot see may be told in the words of a server; the tool tells them as data. */
function withoutReason(watch: WatchReport): WatchReport {
  const text = "it cannot see: list_watches says why";
  return watch.state.kind === "blind" ? { ...watch, state: { ...watch.state, text } } : watch;
}

function pipelineLines(pipelines: StateNoteOptions["pipelines"]): readonly string[] {
  return pipelines.list().map(({ name, pipeline_id, video_reference, status, workflow_description, reason }) => {
    // Its words may be those of a server; told as data by the tool.
    const why = reason === undefined ? "" : " list_pipelines says why.";
    return `${name} (${pipeline_id}) on ${video_reference}: ${status}. ${workflow_description}${why}`;
  });
}

/** One line each, whatever stands in a name: nothing in the app can begin a line of its own. */
function listOf(title: string, items: readonly string[]): string {
  if (items.length === 0) return `${title}: none.`;
  return `${title}:\n${items.map((item) => `- ${item.replaceAll(/\s+/g, " ").trim()}`).join("\n")}`;
}
