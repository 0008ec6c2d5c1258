// what others may ask about a workflow
import type { PipelineStatus, WorkflowProblem } from "@vision-agent/protocol";
import { BLOCK_MANIFESTS, type OutputManifest, type PropertyManifest } from "../blocks/block.ts";
import { BLOCKS, type BlockIndex, createBlockCatalog } from "../blocks/block-catalog.ts";
import { type CompiledWorkflow, type CompileOptions, openWorkflow } from "./open-workflow.ts";
import { parseSpec } from "./parse-spec.ts";

export type { CompiledWorkflow, CompileOptions } from "./open-workflow.ts";

const CATALOG: BlockIndex = createBlockCatalog(BLOCKS, BLOCK_MANIFESTS);

/** A block type as authors see it. */
export interface EngineBlock {
  readonly type: string;
  readonly aliases: readonly string[];
  /** Title for people. */
  readonly name: string;
  readonly description: string;
  readonly properties: readonly PropertyManifest[];
  readonly outputs: readonly OutputManifest[];
}

/** Everything that keeps a workflow from running here; empty when it can run. Never throws. */
export function validateWorkflow(spec: unknown): readonly WorkflowProblem[] {
  return parseSpec(spec, CATALOG).findings.problems;
}

/** What does not keep a workflow from running but was hardly meant, such as a property that no block has. */
export function workflowWarnings(spec: unknown): readonly WorkflowProblem[] {
  return parseSpec(spec, CATALOG).findings.warnings;
}

/**
 * Checks a workflow and opens its blocks and models.
 * Throws `EngineError`: kind `workflow` with all problems, `input` for a wrong parameter, `model` for one that cannot be had.
 */
export function compileWorkflow(spec: unknown, options: CompileOptions): Promise<CompiledWorkflow> {
  return openWorkflow(spec, CATALOG, options);
}

/** What a workflow does, in one sentence for people; steps of unknown blocks are left out. */
export function describeWorkflow(spec: unknown): string {
  const { steps } = parseSpec(spec, CATALOG).workflow;
  const phrases = steps.map(({ text, block, manifest }) => block?.phrase(text) ?? `uses ${manifest.name}`);
  const sentence = phrases.length === 0 ? "does nothing yet" : phrases.join(", ");
  return `${sentence[0]?.toUpperCase()}${sentence.slice(1)}.`;
}

/** Lines and zones written into a workflow, in pixels of the frame. */
export function shapesOf(spec: unknown): PipelineStatus["shapes"] {
  return parseSpec(spec, CATALOG).workflow.steps.flatMap(({ text, block }) => block?.shapes?.(text) ?? []);
}

/** Ids of the models named in a workflow, each once. */
export function modelsOf(spec: unknown): string[] {
  const { steps } = parseSpec(spec, CATALOG).workflow;
  return [...new Set(steps.flatMap(({ text, block }) => block?.models?.(text) ?? []))];
}

/** A block type of the language, whether it runs here or not. */
export type KnownBlock = Omit<EngineBlock, "description"> & {
  /** What kind of block it is: model, visualization, … */
  readonly family: string;
  /** Absent for what does not run here. */
  readonly description?: string;
  readonly runsHere: boolean;
};

/** Every block type of the language, in its order; `runsHere` tells which an engine runs. */
export function listKnownBlocks(): readonly KnownBlock[] {
  const here = new Map(listBlocks().map((block) => [block.type, block]));
  return BLOCK_MANIFESTS.map(({ type, aliases = [], name, family, properties, outputs }) => ({
    ...(here.get(type) ?? { type, aliases, name, properties, outputs }),
    family,
    runsHere: here.has(type),
  }));
}

/** The block types that run here. */
export function listBlocks(): readonly EngineBlock[] {
  return BLOCKS.map(({ manifest, description }) => ({
    type: manifest.type,
    aliases: manifest.aliases ?? [],
    name: manifest.name,
    description,
    properties: manifest.properties,
    outputs: manifest.outputs,
  }));
}
