// cameras + pipelines + watches + tasks + time → the note at the tail of a message
import type { ScopeState } from "@vision-agent/agent-core";
import type { WatchReport } from "@vision-agent/protocol";
import { COCO_CLASSES } from "@vision-agent/vision-engine";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import { describeWatch } from "../watches/watch-words.ts";
import type { CameraRegistry, RegisteredCamera } from "../workspace/camera-registry.ts";
import type { PlaceStore } from "../workspace/place-store.ts";
import { toDollars } from "./budget-view.ts";
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
  /** Names of the ways to reach a person, beside the alert log. */
  readonly channels?: readonly string[];
  /** Absent when no model is asked. */
  readonly money?: () => Promise<MoneyState>;
  /** Class names that a detector can find; undefined when nobody knows. */
  readonly classesOf?: (modelId: string) => readonly string[] | undefined;
  /** What else a person may ask about, a few words each. */
  readonly settings?: readonly string[];
  /** The detector a workflow uses on this camera unless the person names another. */
  readonly modelFor: (camera: RegisteredCamera) => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** IANA name. */
  readonly timeZone: string;
}

/** What is spent of what may be spent. */
interface MoneyState extends Pick<ScopeState, "spentMicroUsd" | "limitMicroUsd"> {
  readonly month?: Pick<ScopeState, "spentMicroUsd" | "limitMicroUsd"> | undefined;
}

/** Lines of a list that are told; the tool that lists them tells the others. */
const MOST_LINES = 20;

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
    ...detectorLines(options),
    listOf("Pipelines", newest(pipelineLines(options.pipelines), "list_pipelines")),
    ...watchLines(options),
    ...(options.tasks ? [listOf("Tasks", newest(await options.tasks(), "list_tasks"))] : []),
    ...(options.channels ? [channelLine(options.channels)] : []),
    ...(options.money ? [moneyLine(await options.money())] : []),
    ...(options.settings ? [`Settings: ${options.settings.join("; ")}.`] : []),
  ].join("\n");
}

function watchLines({ watches }: StateNoteOptions): readonly string[] {
  return watches
    ? [listOf("Watches", newest(watches.list().map(withoutReason).map(describeWatch), "list_watches"))]
    : [];
}

function newest(lines: readonly string[], tool: string): readonly string[] {
  const more = lines.length - MOST_LINES;
  return more <= 0 ? lines : [`and ${more} more before these: ${tool}`, ...lines.slice(-MOST_LINES)];
}

function detectorLines({ cameras, modelFor, classesOf }: StateNoteOptions): readonly string[] {
  if (!classesOf) return [];
  const models = [...new Set(cameras.list().map(modelFor))];
  return models.length === 0
    ? []
    : [
        listOf(
          "Detectors find",
          models.map((model) => `${model}: ${classWords(classesOf(model))}`),
        ),
      ];
}

/** The prompt has the COCO list. */
function classWords(classes: readonly string[] | undefined): string {
  if (classes === undefined) return "what its own model was trained for";
  if (!COCO_CLASSES.every((name) => classes.includes(name))) return classes.join(", ");
  const further = classes.filter((name) => !COCO_CLASSES.includes(name));
  return [`the ${COCO_CLASSES.length} COCO classes`, ...further].join(", ");
}

function channelLine(channels: readonly string[]): string {
  return channels.length === 0
    ? "Alerts go to: the alert log and the page Alerts. No other channel is connected."
    : `Alerts go to: the alert log, the page Alerts, ${channels.join(", ")}.`;
}

function moneyLine({ month, ...day }: MoneyState): string {
  const used = ({ spentMicroUsd, limitMicroUsd }: Omit<MoneyState, "month">): string =>
    `${toDollars(spentMicroUsd)} of ${toDollars(limitMicroUsd)}`;
  const monthly = month === undefined ? "" : `, ${used(month)} a month`;
  return `Money: ${used(day)} a day spent today${monthly}. Watching, counting and alerts cost nothing; your answers, tasks, and watches with a question to a model do.`;
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
