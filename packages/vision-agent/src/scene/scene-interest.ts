// lines and zones of workflows and watches → what is followed on a camera
import type { DirectionNames, PipelineStatus, WorkflowSpec, WorkflowStep } from "@vision-agent/protocol";
import type { Polygon } from "@vision-agent/vision-engine";

/** A line, a zone or the whole picture. Points are fractions of width and height: pipelines may see other sizes. */
export interface SceneArea {
  readonly kind: "line" | "zone" | "picture";
  /** The same place has the same key, whoever asks for it. */
  readonly key: string;
  readonly points: Polygon;
  /** Where a person gave it one. */
  readonly name?: string;
  /** What going in and going out is called, of a line. */
  readonly names?: DirectionNames | undefined;
}

/** What somebody wants to know of a camera beyond who comes and goes. */
export interface SceneInterest {
  readonly area: SceneArea;
  /** Empty: every class. */
  readonly classes: readonly string[];
  /** Told when somebody stays for so long. */
  readonly staySeconds?: number;
  /** Told how many are there when that changes. */
  readonly counts?: boolean;
}

/** Outputs of a workflow that count crossings: all there is to go by where a workflow gives no tracks. */
export interface LineCounter {
  readonly area: SceneArea;
  readonly direction: "in" | "out";
  readonly output: string;
}

/** A zone of a workflow says nothing of how long is long. */
const STAY_SECONDS = 30;

export const WHOLE_PICTURE: SceneArea = { kind: "picture", key: "picture", points: [] };

/** Watches ask for the same places with every result. */
const placeKeys = new WeakMap<Polygon, string>();

export function areaOf(kind: "line" | "zone", points: Polygon): SceneArea {
  const place = placeKeys.get(points) ?? points.flatMap((point) => point.map((share) => share.toFixed(3))).join(" ");
  placeKeys.set(points, place);
  return { kind, key: `${kind} ${place}`, points };
}

/** Without case. */
export function isWanted(classes: readonly string[], className: string): boolean {
  return classes.length === 0 || classes.some((name) => name.toLowerCase() === className.toLowerCase());
}

/** Of a detector that names none. */
export const USUAL_CONFIDENCE = 0.4;

/** The score from which on a workflow's detector finds things. */
export function thresholdOf({ steps }: WorkflowSpec): number {
  const detector = steps.find(({ type }) => /detection_model/.test(type));
  return typeof detector?.confidence === "number" ? detector.confidence : USUAL_CONFIDENCE;
}

/** How much of a class a workflow leaves out before it follows it: one for each step between detector and tracker, and the confidence it wants. */
export function narrownessOf({ steps }: WorkflowSpec): number {
  const upTo = (step: WorkflowStep | undefined, left: number): number => {
    const source = step?.detections ?? step?.predictions;
    if (typeof source !== "string" || left === 0)
      return typeof step?.confidence === "number" ? step.confidence : USUAL_CONFIDENCE;
    const name = /^\$steps\.([^.]+)/.exec(source)?.[1];
    return (
      1 +
      upTo(
        steps.find((one) => one.name === name),
        left - 1,
      )
    );
  };
  return upTo(
    steps.find(({ type }) => /track/.test(type)),
    steps.length,
  );
}

/** What the shapes of a workflow ask for, whose pixels are those of its frames. */
export function readShapes(
  shapes: PipelineStatus["shapes"],
  spec: WorkflowSpec,
  { width, height }: { readonly width: number; readonly height: number },
): { readonly interests: readonly Omit<SceneInterest, "classes">[]; readonly counters: readonly LineCounter[] } {
  const areas = shapes.map(({ kind, step, points }) => ({
    step,
    area: areaOf(
      kind,
      points.map(([x, y]) => [x / width, y / height]),
    ),
  }));
  return {
    interests: areas.map(({ area }) => ({
      area,
      ...(area.kind === "zone" && { staySeconds: STAY_SECONDS, counts: true }),
    })),
    counters: areas.flatMap(({ step, area }) =>
      (["in", "out"] as const).flatMap((direction) =>
        spec.outputs
          .filter(({ selector }) => selector === `$steps.${step}.count_${direction}`)
          .map(({ name }) => ({ area, direction, output: name })),
      ),
    ),
  };
}
