// an app after a turn → everything that a judge may look at
import type { TranscriptEntry } from "@vision-agent/agent-core";
import type { PipelineStatus, WatchCondition, WatchReport } from "@vision-agent/protocol";
import type { ActivePipeline } from "../pipelines/active-state.ts";
import type { PicturePlace } from "./expectation.ts";
import type { AppBefore } from "./instruction.ts";
import type { EvalApp, EvalOutcome, FoundCondition, FoundPipeline, FoundWatch, ToolUse } from "./outcome.ts";

/** What was there before the first word. */
export interface Before {
  readonly app: AppBefore;
  readonly pipelineIds: ReadonlySet<string>;
  readonly watchIds: ReadonlySet<string>;
  readonly alertIds: ReadonlySet<string>;
  readonly notes: readonly string[];
}

const USUAL_SIZE = [960, 540] as const;

export async function collectOutcome(
  app: EvalApp,
  before: Before,
  { nowMs, ...turn }: Pick<EvalOutcome, "status" | "answer"> & { readonly nowMs: number },
): Promise<EvalOutcome> {
  const [statuses, definitions, watches] = [await app.pipelines(), await app.definitions(), await app.watches()];
  const entries = await app.transcript();
  const known = new Set(before.notes);
  const pipelines = statuses.map((status) => toPipeline(status, { definitions, watches, before }));
  return {
    ...turn,
    pipelines,
    watches: [
      ...watches.map((watch) => {
        const { classes, ...things } = thingsOf(watch);
        return {
          ...watch,
          classes,
          condition: { ...toFoundCondition(watch.condition), ...things },
          ...minutesOf(watch, nowMs),
          isNew: !before.watchIds.has(watch.id),
        };
      }),
      ...pipelines.flatMap(toTellingPipeline),
    ],
    alerts: (await app.alerts()).filter(({ id }) => !before.alertIds.has(id)),
    cameras: await app.cameras(),
    mode: await app.currentMode(),
    tasks: (await app.jobs()).filter(({ kind }) => kind !== "heartbeat"),
    calls: callsOf(entries),
    newNotes: (await app.notes()).filter((note) => !known.has(note)),
    costMicroUsd: entries.reduce((sum, entry) => sum + costOf(entry), 0),
  };
}

/** A place that has a name is there, and has no points that a judge could measure. */
function toFoundCondition(condition: WatchCondition): FoundCondition {
  const found: { zone?: unknown; line?: unknown } & FoundCondition = { ...condition } as FoundCondition;
  const { zone, line, ...rest } = found;
  const pointsOf = (place: unknown): readonly PicturePlace[] => (Array.isArray(place) ? place : []);
  return {
    ...rest,
    ...(zone !== undefined && { zone: pointsOf(zone) }),
    ...(line !== undefined && { line: pointsOf(line) }),
    ...[zone, line].filter((place) => typeof place === "string").map((place) => ({ place }))[0],
  };
}

type CombinedPart = Extract<WatchCondition, { kind: "all" | "any" }>["of"][number];

/** What must not be there for this part to hold. */
function emptyOf(part: CombinedPart): readonly Extract<CombinedPart, { kind: "absent" | "count" }>[] {
  if (part.kind === "absent" || (part.kind === "count" && part.at_most === 0)) return [part];
  return part.kind === "not" && part.of.kind === "count" && part.of.at_least === 1 ? [part.of] : [];
}

/** Of `all`: what must be there, and what must not be there meanwhile. */
function thingsOf({ condition, classes }: WatchReport): Pick<FoundWatch, "classes"> & Pick<FoundCondition, "without"> {
  if (condition.kind !== "all") return { classes };
  const without = condition.of.flatMap(emptyOf).flatMap(({ what }) => what?.classes ?? classes);
  const there = condition.of.flatMap((part) => ("what" in part && emptyOf(part).length === 0 ? [part.what] : []));
  const named = there.flatMap((what) => what?.classes ?? []);
  return { classes: named.length > 0 ? named : classes, ...(without.length > 0 && { without }) };
}

/** How long it is muted, and when it ends, from now on. */
function minutesOf(
  { muted_until, expires_at }: WatchReport,
  nowMs: number,
): Pick<FoundWatch, "mutedMinutes" | "endsMinutes"> {
  const until = (at: string): number => (Date.parse(at) - nowMs) / 60_000;
  return {
    ...(muted_until !== undefined && until(muted_until) > 0 && { mutedMinutes: until(muted_until) }),
    ...(expires_at !== undefined && { endsMinutes: until(expires_at) }),
  };
}

/** Of a model's answer, or of what a tool paid. */
function costOf(entry: TranscriptEntry): number {
  return entry.type === "usage" || entry.type === "paid" ? entry.costMicroUsd : 0;
}

interface Surroundings {
  readonly definitions: readonly ActivePipeline[];
  readonly watches: readonly WatchReport[];
  readonly before: Before;
}

function toPipeline(status: PipelineStatus, { definitions, watches, before }: Surroundings): FoundPipeline {
  const definition = definitions.find(({ id }) => id === status.pipeline_id);
  const spec = definition?.spec ?? { version: "1.0", inputs: [], steps: [], outputs: [] };
  const owners = watches.filter(({ pipelines }) =>
    pipelines.some(({ pipeline_id }) => pipeline_id === status.pipeline_id),
  );
  const [width, height] = sizeOf(before.app, status.video_reference);
  const shapes = (kind: "line" | "zone"): readonly (readonly PicturePlace[])[] =>
    status.shapes
      .filter((shape) => shape.kind === kind)
      .map(({ points }) => points.map(([x, y]) => [x / width, y / height]));
  return {
    id: status.pipeline_id,
    name: status.name,
    camera: status.video_reference,
    spec,
    classes: owners.length > 0 ? owners.flatMap(({ classes }) => classes) : classesIn(spec.steps),
    lines: shapes("line"),
    zones: shapes("zone"),
    state: status.status,
    backend: status.backend,
    maxFps: definition?.max_fps,
    alertOn: definition?.alert_on ?? [],
    ofWatch: owners.length > 0,
    isNew: !before.pipelineIds.has(status.pipeline_id),
  };
}

function sizeOf({ cameras }: AppBefore, name: string): readonly [number, number] {
  const camera = cameras[name];
  return (typeof camera === "object" ? camera.size : undefined) ?? USUAL_SIZE;
}

const CLASS_KEYS: ReadonlySet<string> = new Set(["class_filter", "class_names", "classes"]);

/** Names of classes that steps keep: their filters, and the fixed values of conditions. */
function classesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap(classesIn))];
  if (typeof value !== "object" || value === null) return [];
  const isFixed = "type" in value && value.type === "StaticOperand";
  return Object.entries(value).flatMap(([key, inner]) =>
    CLASS_KEYS.has(key) || (isFixed && key === "value") ? textsIn(inner) : classesIn(inner),
  );
}

function textsIn(value: unknown): readonly string[] {
  return [value].flat().filter((one) => typeof one === "string");
}

const CONDITION_OF: Readonly<Record<string, WatchCondition["kind"]>> = {
  appeared: "appears",
  left: "leaves",
  line_crossed: "crosses",
  zone_entered: "enters",
  stayed: "stays",
  count_changed: "count",
};

function toTellingPipeline(pipeline: FoundPipeline): readonly FoundWatch[] {
  return pipeline.alertOn.flatMap((event) => {
    const kind = CONDITION_OF[event];
    if (kind === undefined) return [];
    const { name, camera, classes, isNew, lines, zones, state } = pipeline;
    const place = {
      ...(kind === "crosses" && { direction: "any", line: lines[0] }),
      ...(kind === "enters" && { zone: zones[0] }),
    };
    const common = { words: name, cameras: [camera], classes: [...classes], severity: "info" as const, isNew };
    return [{ ...common, condition: { kind, ...place }, enabled: state !== "paused" }];
  });
}

function callsOf(entries: readonly TranscriptEntry[]): readonly ToolUse[] {
  const parts = entries.flatMap((entry) => (entry.type === "message" ? entry.message.parts : []));
  const results = new Map(parts.flatMap((part) => (part.type === "tool_result" ? [[part.callId, part]] : [])));
  return parts
    .filter((part) => part.type === "tool_call")
    .map(({ call: { id, toolName, arguments: given } }) => {
      const { outcome = "not_executed", content = [] } = results.get(id) ?? {};
      const result = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      return { tool: toolName, arguments: given, outcome, result };
    });
}
