// what is there before the first word → files of a workspace
import { join } from "node:path";
import type { Alert, Json, SceneEvent, WorkflowSpec } from "@vision-agent/protocol";
import { createLocalTime } from "../memory/local-time.ts";
import { fileOf, KNOWLEDGE_FILE, PREFERENCES_FILE, PREFERENCES_HEADING, toMarkdown } from "../memory/note-text.ts";
import type { ActivePipeline } from "../pipelines/active-state.ts";
import { countingWorkflow } from "../pipelines/counting-workflow.ts";
import { detectorFor } from "../pipelines/detector-for.ts";
import { watchingWorkflow } from "../pipelines/watching-workflow.ts";
import type { StoredWatch } from "../watches/camera-assignments.ts";
import type { FilePort } from "../workspace/file-port.ts";
import { type AppBefore, type EventBefore, toMoment, type WatchBefore, type Work } from "./instruction.ts";

export interface PreparationOptions {
  readonly files: Pick<FilePort, "makeFolder" | "writeAtomic">;
  /** Absolute path of a workspace that nobody uses yet. */
  readonly folder: string;
  /** Groups of its `config.yaml`. */
  readonly config: EvalConfig;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Name of the zone that people's clocks show. */
  readonly timeZone: string;
}

/** `config.yaml` as data: groups of keys, or plain values. */
export type EvalConfig = Readonly<Record<string, Json>>;

/** What was put there, by id. */
export interface Prepared {
  readonly pipelineIds: ReadonlySet<string>;
  readonly watchIds: ReadonlySet<string>;
  readonly alertIds: ReadonlySet<string>;
}

/** Writes the workspace as an earlier run of the program would have left it. Rejects with `StoreError`. */
export async function prepareApp(app: AppBefore, options: PreparationOptions): Promise<Prepared> {
  const { files, folder } = options;
  const watched = app.watches.map((watch, index) => toStoredWatch(app, watch, { ...options, index }));
  const pipelines = [...toActivePipelines(app, options), ...watched.flatMap((each) => each.pipelines)];
  const watches = watched.map(({ stored }) => stored);
  const alerts = toAlerts(app, options);
  const since = new Date(options.nowMs - 3_600_000).toISOString();
  const mode = app.mode === undefined ? {} : { mode: [{ mode: app.mode, since, schedule: [] }] };
  const texts: Record<string, string> = {
    ...app.files,
    ...toNoteFiles(app, options),
    ...toEventFiles(app.events, options),
    ...(alerts.length > 0 && { "events/alerts.jsonl": alerts.map((alert) => `${JSON.stringify(alert)}\n`).join("") }),
    ...toSavedWorkflows(app, options),
    "config.yaml": JSON.stringify(mergeGroups(options.config, app.config)),
    "CAMERAS.md": toCamerasText(app),
    "active_state.json": JSON.stringify({ version: 1, pipelines, watches, ...mode }),
  };
  for (const [name, text] of Object.entries(texts)) {
    const path = join(folder, name);
    await files.makeFolder(join(path, ".."));
    await files.writeAtomic(path, text);
  }
  return {
    pipelineIds: new Set(pipelines.map(({ id }) => id)),
    watchIds: new Set(watches.map(({ watch }) => watch.id)),
    alertIds: new Set(alerts.map(({ id }) => id)),
  };
}

function mergeGroups(usual: EvalConfig, own: EvalConfig): EvalConfig {
  const merged = Object.entries(own).map(([name, value]) => {
    const before = usual[name];
    return [name, isGroup(before) && isGroup(value) ? { ...before, ...value } : value];
  });
  return { ...usual, ...Object.fromEntries(merged) };
}

function isGroup(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toCamerasText({ cameras }: AppBefore): string {
  const rows = Object.entries(cameras).map(([name, camera]) => {
    const { source, location, notes } =
      typeof camera === "string" ? { source: camera, location: "", notes: "" } : camera;
    return `| ${name} | ${source} | ${location} | ${notes} |\n`;
  });
  return `# Cameras\n\n| Name | URL | Location | Notes |\n|------|-----|----------|-------|\n${rows.join("")}`;
}

function modelOf({ cameras }: AppBefore, name: string): string {
  const camera = cameras[name] ?? name;
  return detectorFor(typeof camera === "string" ? camera : camera.source);
}

function toSpec({ follows, counts, workflow }: Work, modelId: string): WorkflowSpec {
  if (counts !== undefined) return countingWorkflow({ modelId, ...counts });
  return workflow ?? watchingWorkflow({ modelId, classes: follows ?? [] });
}

function toActivePipelines(app: AppBefore, { nowMs }: PreparationOptions): readonly ActivePipeline[] {
  return app.pipelines.map(({ name, camera, max_fps, paused, ...work }, index) => ({
    id: `pipeline_before_${index + 1}`,
    name,
    video_reference: camera,
    spec: toSpec(work, modelOf(app, camera)),
    backend: "direct",
    ...(max_fps !== undefined && { max_fps }),
    alert_on: [],
    paused,
    started_at: new Date(nowMs - 3_600_000).toISOString(),
  }));
}

function toStoredWatch(
  app: AppBefore,
  { enabled, ...request }: WatchBefore,
  { nowMs, index }: PreparationOptions & { readonly index: number },
): { readonly stored: StoredWatch; readonly pipelines: readonly ActivePipeline[] } {
  const started_at = new Date(nowMs - 3_600_000).toISOString();
  const id = `watch_before_${index + 1}`;
  const pipelines = (enabled ? request.cameras : []).map((camera): ActivePipeline => {
    const spec = watchingWorkflow({ modelId: request.model_id ?? modelOf(app, camera) });
    const place = { id: `pipeline_of_${id}_${camera}`, name: `${camera}-watch-${index + 1}`, video_reference: camera };
    return { ...place, spec, backend: "direct", alert_on: [], paused: false, started_at };
  });
  const pipeline_ids = Object.fromEntries(pipelines.map((each) => [each.video_reference, each.id]));
  return { stored: { watch: { ...request, id, enabled, created_at: started_at }, pipeline_ids }, pipelines };
}

/** Oldest first. */
function toAlerts(app: AppBefore, { nowMs }: PreparationOptions): readonly Alert[] {
  return app.alerts
    .map(({ at, watch, ...alert }) => ({
      ...alert,
      timestamp: new Date(toMoment(at, nowMs)).toISOString(),
      ...(watch !== undefined && { watch_id: `watch_before_${watch}` }),
      held_back: 0,
    }))
    .toSorted((one, other) => one.timestamp.localeCompare(other.timestamp))
    .map((alert, index) => ({ id: `alert_before_${index + 1}`, ...alert }));
}

function toEventFiles(events: readonly EventBefore[], { nowMs }: PreparationOptions): Record<string, string> {
  const all = events
    .flatMap(({ times, every_minutes, ...event }) =>
      Array.from({ length: times }, (_, turn) => ({
        event,
        ms: toMoment(event.at, nowMs) + turn * every_minutes * 60_000,
      })),
    )
    .toSorted((one, other) => one.ms - other.ms)
    .map(({ event, ms }, index) => toSceneEvent(event, ms, index + 1));
  const days = Map.groupBy(all, ({ timestamp }) => timestamp.slice(0, 10));
  return Object.fromEntries(
    [...days].map(([day, list]) => [`events/${day}.jsonl`, list.map((event) => `${JSON.stringify(event)}\n`).join("")]),
  );
}

function toSceneEvent(event: Omit<EventBefore, "times" | "every_minutes">, ms: number, number: number): SceneEvent {
  const { kind, camera, class: className, direction } = event;
  const words = `${className ?? "camera"} ${kind.replaceAll("_", " ")} on ${camera}.`;
  return {
    id: `event_before_${number}`,
    kind,
    timestamp: new Date(ms).toISOString(),
    camera,
    pipeline_id: "pipeline_long_gone",
    frame_number: number,
    ...(className !== undefined && { class_name: className, tracker_id: number }),
    ...(direction !== undefined && { direction }),
    text: event.text ?? words,
  };
}

function toNoteFiles({ memory, files }: AppBefore, { nowMs, timeZone }: PreparationOptions): Record<string, string> {
  const toLocal = createLocalTime(timeZone);
  const placed = memory.map((note) => ({ note, local: toLocal(toMoment(note.at, nowMs)) }));
  const groups = Map.groupBy(placed, ({ note, local }) => fileOf(note, local.day));
  return Object.fromEntries(
    [...groups].map(([path, list]) => {
      const items = list.map(({ note: { text, category, camera }, local }) =>
        toMarkdown({ content: text, category, ...(camera !== undefined && { camera }) }, local),
      );
      return [path, `${files[path] ?? ""}${headOf(path)}\n\n${items.join("")}`];
    }),
  );
}

function headOf(path: string): string {
  if (path === PREFERENCES_FILE) return `\n## ${PREFERENCES_HEADING}`;
  return path === KNOWLEDGE_FILE ? "# Knowledge" : `# ${path.slice("memory/".length, -".md".length)}`;
}

function toSavedWorkflows({ saved_workflows }: AppBefore, { nowMs }: PreparationOptions): Record<string, string> {
  return Object.fromEntries(
    Object.entries(saved_workflows).map(([name, specification]) => [
      `workflows/${name}.json`,
      JSON.stringify({ fetched_at: new Date(nowMs).toISOString(), specification }),
    ]),
  );
}
