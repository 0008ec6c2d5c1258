// a day's script and a time → what the pipelines of its cameras give
import type { FrameResult, PipelineStatus, WorkflowSpec } from "@vision-agent/protocol";
import type { PipelineRegistry, StartRequest } from "../../pipelines/pipeline-registry.ts";
import { thresholdOf } from "../../scene/scene-interest.ts";
import { fakePicture, fakeStatus, SPEC } from "../fake-app.ts";
import type { DayActor, DayScript } from "./day-script.ts";

const [WIDTH, HEIGHT] = [1000, 1000];
/** Of a camera in front of which nothing is. */
const IDLE_EVERY = 10;
/** Somebody who left is noticed within this time. */
const LINGERS = 5;

/** Pipelines that outlive the program that listens to them. */
export type DayCameras = ReturnType<typeof createDayCameras>;

export function createDayCameras(script: DayScript, startMs: number) {
  const running: PipelineStatus[] = [];
  const resultListeners = new Set<(status: PipelineStatus, result: FrameResult) => void>();
  const changeListeners = new Set<(statuses: readonly PipelineStatus[]) => void>();
  const last = new Map<string, number>();
  const specs = new Map<string, WorkflowSpec>();
  let asked = 0;
  const listen = <T>(set: Set<T>, listener: T): (() => void) => {
    set.add(listener);
    return () => void set.delete(listener);
  };
  const pipelines: Pick<
    PipelineRegistry,
    "start" | "stop" | "list" | "onResult" | "onChange" | "definition" | "picture"
  > = {
    async start({ videoReference, name, spec }: StartRequest) {
      const others = running.filter(({ video_reference }) => video_reference === videoReference).length;
      const status = fakeStatus({
        pipeline_id: `pl_${videoReference}${others === 0 ? "" : `_${others + 1}`}`,
        name: name ?? videoReference,
        video_reference: videoReference,
      });
      specs.set(status.pipeline_id, spec);
      running.push(status);
      return status;
    },
    async stop(id) {
      const [stopped] = running.splice(
        running.findIndex(({ pipeline_id }) => pipeline_id === id),
        1,
      );
      return stopped ?? fakeStatus();
    },
    list: () => {
      asked += 1;
      return running;
    },
    definition: (id) => ({ spec: specs.get(id) ?? SPEC, alertOn: [] }),
    picture: async () => fakePicture(),
    onResult: (listener) => listen(resultListeners, listener),
    onChange: (listener) => listen(changeListeners, listener),
  };
  return {
    pipelines,
    /** One second: how each camera is, and what is in front of it. */
    tick(second: number): void {
      for (const [index, status] of running.entries()) running[index] = statusAt(script, status, second);
      for (const listener of changeListeners) listener([...running]);
      for (const status of running.filter((one) => one.status === "running")) {
        const camera = status.video_reference;
        const there = script.actors.filter((actor) => actor.camera === camera && isThere(actor, second));
        const found = there.filter((actor) => !isMissed(script, actor, second));
        if (there.length > 0) last.set(camera, second);
        const isBusy = second - (last.get(camera) ?? Number.NEGATIVE_INFINITY) <= LINGERS;
        if (!isBusy && second % IDLE_EVERY !== 0) continue;
        const lowest = thresholdOf(pipelines.definition(status.pipeline_id).spec);
        const result = resultAt(script, found, { second, startMs, lowest });
        for (const listener of resultListeners) listener(status, result);
      }
    },
    /** How often somebody asked which pipelines there are. */
    asked: () => asked,
    /** Nobody who listened before hears anything more. */
    disconnect(): void {
      resultListeners.clear();
      changeListeners.clear();
    },
  };
}

function statusAt({ faults }: DayScript, status: PipelineStatus, second: number): PipelineStatus {
  const { health: _, reason: __, ...well } = status;
  const fault = faults.find(
    ({ camera, from, to }) => camera === status.video_reference && second >= from && second < to,
  );
  if (fault === undefined) return { ...well, status: "running" };
  if (fault.state === "down") return { ...well, status: "reconnecting" };
  if (fault.state === "paused") return { ...well, status: "paused" };
  return { ...well, status: "running", health: { state: fault.state, message: "It looks somewhere else." } };
}

function isThere({ path }: DayActor, second: number): boolean {
  return second >= (path[0]?.[0] ?? 0) && second <= (path.at(-1)?.[0] ?? 0);
}

function isMissed({ actors, missedOneIn }: DayScript, actor: DayActor, second: number): boolean {
  return missedOneIn !== undefined && (second + 3 * actors.indexOf(actor)) % missedOneIn === 0;
}

function placeOf({ path, sway = 0 }: DayActor, second: number): readonly [x: number, y: number] {
  const next = path.findIndex(([at]) => at >= second);
  const [t2 = 0, x2 = 0, y2 = 0] = path[Math.max(next, 0)] ?? [];
  const [t1 = t2, x1 = x2, y1 = y2] = path[next - 1] ?? [];
  const share = t2 === t1 ? 1 : (second - t1) / (t2 - t1);
  const trembling = sway * (second % 2 === 0 ? 1 : -1);
  return [x1 + share * (x2 - x1) + trembling, y1 + share * (y2 - y1)];
}

interface DayMoment {
  readonly second: number;
  readonly startMs: number;
  /** Scores below are left out. */
  readonly lowest: number;
}

function resultAt(
  { actors }: DayScript,
  found: readonly DayActor[],
  { second, startMs, lowest }: DayMoment,
): FrameResult {
  const boxOf = (actor: DayActor): [number, number, number, number] => {
    const [x, y] = placeOf(actor, second);
    const [width, height] = actor.size;
    return [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
  };
  const scoreOf = ({ score = 0.9 }: DayActor): number => score;
  const there = found.filter((actor) => scoreOf(actor) >= lowest);
  const boxes = there.flatMap((actor) => boxOf(actor).map((share, at) => share * (at % 2 === 0 ? WIDTH : HEIGHT)));
  const weak = found
    .filter((actor) => scoreOf(actor) < lowest)
    .map((actor) => ({ class_name: actor.className, confidence: scoreOf(actor), box: boxOf(actor) }));
  const detections = {
    image: { width: WIDTH, height: HEIGHT },
    xyxy: boxes,
    confidence: there.map(scoreOf),
    class_id: there.map(() => 0),
    class_name: there.map(({ className }) => className),
    tracker_id: there.map((actor) => actors.indexOf(actor)),
    colour: there.map(({ colour = null }) => colour),
  };
  const timestamp = new Date(startMs + second * 1000).toISOString();
  return {
    frame: {
      source_id: there[0]?.camera ?? "",
      frame_number: second + 1,
      timestamp,
      width: WIDTH,
      height: HEIGHT,
      fps: 1,
    },
    outputs: { tracked_detections: { kind: "detections", detections } },
    latency_ms: 1,
    moving: found.length > 0,
    weak,
  };
}
