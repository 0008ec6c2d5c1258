// workflow document → open blocks and a plan → runs, overlapping in order
import { randomUUID } from "node:crypto";
import type { Json } from "@vision-agent/protocol";
import type { BlockContext, BlockInstance, BlockValue, OutputManifest } from "../blocks/block.ts";
import type { BlockIndex } from "../blocks/block-catalog.ts";
import type { Effects } from "../blocks/effects.ts";
import { inputError } from "../errors.ts";
import type { ImageValue } from "../frames/image-value.ts";
import type { ModelRegistry } from "../models/model.ts";
import { runtimeInputError } from "../query/query-value.ts";
import type { ImageAccess } from "../query/read-image.ts";
import { serializeValue } from "../query/serialize-value.ts";
import { SpecRefusal, toRefusedError, toWorkflowError } from "./findings.ts";
import { type FetchWorkflow, fetchInner, namesSavedWorkflow } from "./inner-workflow.ts";
import { parseSpec, type SpecReading } from "./parse-spec.ts";
import { isFed, pictureTextSteps } from "./picture-text.ts";
import { isSpecObject } from "./read-document.ts";
import { compilePlan, type PlanOutput, type WorkflowPlan } from "./run/compile-plan.ts";
import { type RunInputs, RunLine, runPlan } from "./run/run-plan.ts";
import { createStepScopes, type RunState, type StepScopes } from "./run/run-state.ts";
import { checkParameters, type GivenInputs, readRuntimeInputs } from "./run/runtime-inputs.ts";
import { imageOutputs, type PlanExecution, shapeOutputs, type WorkflowResult } from "./run/shape-outputs.ts";

/** What a workflow needs besides its document. */
export interface CompileOptions {
  readonly models: ModelRegistry;
  /** Values for the workflow's parameters; those left out take their default. */
  readonly parameters?: { readonly [name: string]: Json };
  /** Makes ids of inferences and crops. Default: random. */
  readonly newId?: () => string;
  /** Wall clock in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
  /** 0 up to 1. Default: random. */
  readonly random?: () => number;
  /** Ids and luck inside runs are the same for the same run and step, whatever runs beside them. Default false. */
  readonly repeatable?: boolean;
  /** The ways out of the process. Default: none, and sinks say so. */
  readonly effects?: Effects;
  /** What `cache_set` keeps for `cache_get`. Default: of this workflow alone. */
  readonly memory?: BlockContext["memory"];
  /** Gets saved workflows that steps name. Default: such steps are refused. */
  readonly fetchWorkflow?: FetchWorkflow;
  /** Ways to pictures that `run` is given by address or path. Default: none. */
  readonly pictures?: ImageAccess;
}

/** How a run gives its results. */
export interface RunOptions {
  /** As plain JSON, the way a Roboflow server answers; else as values of the engine. Default false. */
  readonly serialize?: boolean;
  /** The time that its steps are told, in milliseconds since 1970. Default: as the clock says when they ask. */
  readonly nowMs?: number;
}

/**
 * A workflow with its blocks open. A run may begin before the last has ended: each step takes them in order, results
 * come in the order of the calls, and an error fails its own run only.
 */
export interface CompiledWorkflow {
  /**
   * Runs on one value or a list for each batch input; one result for each element of the batch.
   * Throws `EngineError`: kind `input` for a wrong input, else with the name of the step.
   */
  run(inputs: GivenInputs, options?: RunOptions): Promise<readonly WorkflowResult[]>;
  /** Runs on frames, one for each source, as one batch for all image inputs. One result for each. */
  runImages(images: readonly ImageValue[], options?: Pick<RunOptions, "nowMs">): Promise<readonly PlanExecution[]>;
  /** Waits for runs that are under way. May be called twice. */
  close(): Promise<void>;
}

/** Throws `EngineError`: kind `workflow` with all problems, `input` for a wrong parameter, `model`. */
export async function openWorkflow(
  spec: unknown,
  catalog: BlockIndex,
  options: CompileOptions,
): Promise<CompiledWorkflow> {
  const reading = parseSpec(await withSavedWorkflows(spec, options.fetchWorkflow), catalog);
  if (reading.findings.list.length > 0) throw toWorkflowError(reading.findings);
  const background: Promise<unknown>[] = [];
  const { newId = randomUUID, now = Date.now, random = Math.random, repeatable = false } = options;
  const scopes = createStepScopes({ newId: () => newId(), now, random }, repeatable);
  const context = contextOf(options, scopes, background);
  const instances = await openBlocks(reading, context);
  try {
    return new OpenWorkflow(compilePlan(reading, instances), { options, scopes, context, background });
  } catch (error) {
    await closeAll(instances.values());
    throw error;
  }
}

async function withSavedWorkflows(spec: unknown, fetchWorkflow: FetchWorkflow | undefined): Promise<unknown> {
  if (fetchWorkflow === undefined || !isSpecObject(spec) || !namesSavedWorkflow(spec)) return spec;
  try {
    return await fetchInner(spec, fetchWorkflow);
  } catch (error) {
    throw error instanceof SpecRefusal ? toRefusedError(error) : error;
  }
}

type StepContext = Omit<BlockContext, "step">;

function contextOf(options: CompileOptions, { chance }: StepScopes, background: Promise<unknown>[]): StepContext {
  const { models, memory = new Map() } = options;
  const keep = (work: Promise<unknown>): void => {
    background.push(work);
    const forget = (): void => void background.splice(background.indexOf(work), 1);
    work.then(forget, forget);
  };
  return { models, ...chance, memory, effects: { background: keep, ...options.effects } };
}

async function openBlocks(reading: SpecReading, context: StepContext): Promise<ReadonlyMap<string, BlockInstance>> {
  const opened = new Map<string, BlockInstance>();
  const texts = reading.workflow.steps.map(({ type, text: { name, properties } }) => ({ name, type, properties }));
  const writers = pictureTextSteps(texts);
  try {
    for (const { text, block } of reading.workflow.steps) {
      const takesPictureText = isFed(JSON.stringify(text), writers);
      const effects = takesPictureText ? { ...context.effects, takesPictureText } : context.effects;
      if (block !== undefined) opened.set(text.name, await block.create({ ...context, effects, step: text }));
    }
  } catch (error) {
    await closeAll(opened.values());
    throw error;
  }
  return opened;
}

async function closeAll(instances: Iterable<BlockInstance>): Promise<void> {
  await Promise.all(Array.from(instances, (instance) => instance.close?.()));
}

interface Surroundings {
  readonly options: CompileOptions;
  readonly scopes: StepScopes;
  readonly context: StepContext;
  /** What sinks have started and not waited for. */
  readonly background: readonly Promise<unknown>[];
}

class OpenWorkflow implements CompiledWorkflow {
  readonly #plan: WorkflowPlan;
  readonly #surroundings: Surroundings;
  readonly #line: RunLine;
  readonly #parameters: GivenInputs;
  /** Parameters of `runImages` by their place; null for batches. */
  readonly #values: RunInputs;
  #isChecked = false;
  #runs = 0;
  #closed: Promise<void> | undefined;

  constructor(plan: WorkflowPlan, surroundings: Surroundings) {
    this.#plan = plan;
    this.#surroundings = surroundings;
    this.#line = new RunLine(plan.stepCount);
    this.#parameters = surroundings.options.parameters ?? {};
    checkGiven(plan, this.#parameters);
    this.#values = plan.inputs.map(({ name, role, defaultValue }) =>
      role === "parameter" ? ((this.#parameters[name] ?? defaultValue) as BlockValue) : null,
    );
  }

  async run(given: GivenInputs, { serialize = false, nowMs }: RunOptions = {}): Promise<readonly WorkflowResult[]> {
    const { context, options } = this.#surroundings;
    const read = async (): Promise<RunInputs> => {
      const inputs = { ...this.#parameters, ...given };
      const values = await readRuntimeInputs(this.#plan.inputs, inputs, { newId: context.newId, ...options.pictures });
      checkParameters(this.#plan.checks, values);
      return values;
    };
    const write = (output: PlanOutput, value: BlockValue): unknown =>
      serialize ? this.#serialized(output, value) : value;
    return this.#inTurn(nowMs, read, (run) => shapeOutputs(run, write));
  }

  async runImages(
    images: readonly ImageValue[],
    { nowMs }: Pick<RunOptions, "nowMs"> = {},
  ): Promise<readonly PlanExecution[]> {
    const read = (): RunInputs => {
      const atMs = nowMs ?? this.#surroundings.context.now();
      if (!this.#isChecked) checkParameters(this.#plan.checks, this.#values);
      this.#isChecked = true;
      return this.#plan.inputs.map(({ name, role }, at) => {
        if (role === "image") return images;
        if (role === "metadata") return images.map((image) => image.videoOrDefault(atMs));
        if (role === "parameter") return this.#values[at]!;
        throw runtimeInputError(`Input "${name}" is no picture: frames alone cannot fill it.`);
      });
    };
    return this.#inTurn(nowMs, read, (run) => imageOutputs(run, images.length));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#line.untilIdle();
    await closeAll(this.#plan.layers.flat().map(({ instance }) => instance));
    await Promise.allSettled(this.#surroundings.background);
  }

  async #inTurn<T>(
    nowMs: number | undefined,
    read: () => RunInputs | Promise<RunInputs>,
    shape: (run: RunState) => T | Promise<T>,
  ): Promise<T> {
    if (this.#closed !== undefined) {
      throw inputError("The workflow is closed.");
    }
    const turn = this.#line.enter();
    this.#runs += 1;
    const scope = this.#surroundings.scopes.ofRun(this.#runs, nowMs);
    try {
      const inputs = await read();
      if (this.#plan.keepsRunsApart) await turn.untilFirst();
      return await shape(await runPlan(this.#plan, inputs, turn, scope));
    } finally {
      turn.leaveAll();
      await turn.untilFirst();
      turn.end();
    }
  }

  async #serialized({ origin, kinds }: PlanOutput, value: BlockValue): Promise<unknown> {
    const { context } = this.#surroundings;
    if (value === null || origin.kind !== "output" || origin.output !== "*") {
      return serializeValue(kinds as readonly string[], value, context);
    }
    const entries = Object.entries(value).map(async ([output, item]) => {
      const manifest = (kinds as readonly OutputManifest[]).find((candidate) => candidate.name === output);
      return [output, await serializeValue(manifest?.kinds ?? ["*"], item, context)] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }
}

/** Values that were given when the workflow was opened: of parameters that there are, and that fit. */
function checkGiven({ inputs, checks }: WorkflowPlan, given: GivenInputs): void {
  const parameters = inputs.filter(({ role }) => role === "parameter").map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    const has = parameters.length === 0 ? "It has none." : `It has ${parameters.join(", ")}.`;
    throw runtimeInputError(`The workflow has no parameter "${unknown}". ${has}`);
  }
  const values = inputs.map(({ name, defaultValue }) => (given[name] ?? defaultValue) as BlockValue);
  checkParameters(
    checks.filter(({ parameter }) => Object.hasOwn(given, parameter)),
    values,
  );
}
