import type { PipelinePattern } from "../expectation.ts";
import type { FoundPipeline } from "../outcome.ts";
import { fitsClasses, fitsLine, fitsNumber, fitsZone, matchPatterns } from "./match-patterns.ts";

/** Each pattern needs a pipeline of its own; what is left over is wrong, unless it serves a watch or tells by itself. */
export function judgePipelines(
  patterns: readonly PipelinePattern[],
  pipelines: readonly FoundPipeline[],
): readonly string[] {
  const free = (pipeline: FoundPipeline): boolean => !pipeline.ofWatch && pipeline.alertOn.length === 0;
  const ordered = pipelines.toSorted((one, other) => Number(free(other)) - Number(free(one)));
  const { unmet, left } = matchPatterns(patterns, ordered, fits);
  return [
    ...unmet.map((pattern) => `no pipeline is ${JSON.stringify(pattern)}; there are ${describe(pipelines)}`),
    ...left.filter(free).map((pipeline) => `a pipeline that was not wanted: ${describe([pipeline])}`),
  ];
}

const OVER: ReadonlySet<string> = new Set(["failed", "ended", "stopped"]);

function fits(pattern: PipelinePattern, pipeline: FoundPipeline): boolean {
  const { name, camera, blocks = [], classes, model, line, zone, max_fps, backend, state } = pattern;
  const specText = JSON.stringify(pipeline.spec.steps);
  return (
    (name === undefined || pipeline.name.toLowerCase().includes(name.toLowerCase())) &&
    (camera === undefined || pipeline.camera.toLowerCase() === camera.toLowerCase()) &&
    blocks.every((block) => pipeline.spec.steps.some(({ type }) => type.includes(block))) &&
    (classes === undefined || fitsClasses(classes, pipeline.classes)) &&
    (model === undefined || specText.includes(`:${JSON.stringify(model)}`)) &&
    (line === undefined || orNone(pipeline.lines).some((points) => fitsLine(line, points))) &&
    (zone === undefined || orNone(pipeline.zones).some((points) => fitsZone(zone, points))) &&
    (max_fps === undefined || fitsNumber(max_fps, pipeline.maxFps)) &&
    (backend === undefined || pipeline.backend === backend) &&
    fitsState(state, pipeline.state) &&
    (pattern.new === undefined || pattern.new === pipeline.isNew)
  );
}

function orNone<T>(shapes: readonly T[]): readonly (T | undefined)[] {
  return shapes.length === 0 ? [undefined] : shapes;
}

function fitsState(wanted: PipelinePattern["state"], state: string): boolean {
  if (wanted === "any") return true;
  return wanted === "alive" ? !OVER.has(state) : state === wanted;
}

function describe(pipelines: readonly FoundPipeline[]): string {
  const words = pipelines.map(({ name, camera, spec, classes, lines, zones, state, maxFps }) => {
    const blocks = spec.steps.map(({ type }) => type.replace(/^\w+\/|@.*$/g, "")).join(" → ");
    const shapes = [...lines, ...zones].map((points) => JSON.stringify(points)).join(" ");
    const rate = maxFps === undefined ? "" : `, ${maxFps} fps`;
    return `${name} on ${camera} (${state}; ${blocks}; ${classes.join(", ") || "all classes"}${rate}${shapes && `; ${shapes}`})`;
  });
  return words.join("; ") || "none";
}
