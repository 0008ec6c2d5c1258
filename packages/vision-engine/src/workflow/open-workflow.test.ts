import { describe, expect, it } from "vitest";
import { type Block, type BlockBatch, type BlockInstance, type BlockManifest, FlowControl } from "../blocks/block.ts";
import { createBlockCatalog } from "../blocks/block-catalog.ts";
import { inputError, modelError } from "../errors.ts";
import { modelRegistryOf } from "../testing/index.ts";
import { type CompiledWorkflow, type CompileOptions, openWorkflow } from "./open-workflow.ts";

describe("overlapping runs", () => {
  it("let a stateless step take the next frame while the last is in a later step", async () => {
    const { blocks, log, doors } = pipelineOf({ stateless: true });
    const workflow = await open(blocks);
    const runs = [workflow.run({ n: 1 }), workflow.run({ n: 2 })];
    await settle();
    expect(log).toEqual(["see 1", "see 2"]);
    doors.get("see 1")!();
    await settle();
    expect(log).toEqual(["see 1", "see 2", "track 1"]);
    for (const door of ["see 2", "track 1"]) doors.get(door)!();
    await settle();
    doors.get("track 2")!();
    expect(await Promise.all(runs)).toEqual([[{ out: 1 }], [{ out: 2 }]]);
  });

  it("keep the frames of a step with state in their order", async () => {
    const { blocks, log, doors } = pipelineOf({ stateless: true });
    const workflow = await open(blocks);
    const order: number[] = [];
    const runs = [1, 2].map((n) => workflow.run({ n }).then(() => order.push(n)));
    await settle();
    doors.get("see 2")!();
    await settle();
    expect(log).toEqual(["see 1", "see 2"]);
    doors.get("see 1")!();
    await settle();
    expect(log.slice(2)).toEqual(["track 1"]);
    doors.get("track 1")!();
    await settle();
    doors.get("track 2")!();
    await Promise.all(runs);
    expect(order).toEqual([1, 2]);
  });

  it("do not enter a step with state twice", async () => {
    const { blocks, log, doors } = pipelineOf({});
    const workflow = await open(blocks);
    const runs = [workflow.run({ n: 1 }), workflow.run({ n: 2 })];
    await settle();
    expect(log).toEqual(["see 1"]);
    for (const door of ["see 1", "track 1", "see 2", "track 2"]) {
      doors.get(door)!();
      await settle();
    }
    await Promise.all(runs);
  });

  it("follow each other wholly where steps share memory", async () => {
    const { blocks, log, doors } = pipelineOf({ stateless: true, sharesMemory: true });
    const workflow = await open(blocks);
    const runs = [workflow.run({ n: 1 }), workflow.run({ n: 2 })];
    await settle();
    doors.get("see 1")!();
    await settle();
    expect(log).toEqual(["see 1", "track 1"]);
    doors.get("track 1")!();
    await settle();
    expect(log).toEqual(["see 1", "track 1", "see 2"]);
    doors.get("see 2")!();
    await settle();
    doors.get("track 2")!();
    await Promise.all(runs);
  });

  it("fail alone, and in their turn", async () => {
    const seen: number[] = [];
    const odd = block("odd", ({ n }) => {
      seen.push(n as number);
      if ((n as number) % 2 === 0) throw inputError("even");
      return { out: n! };
    });
    const workflow = await open([odd], [{ type: "odd", name: "a", n: "$inputs.n" }]);
    const runs = [1, 2, 3].map((n) => workflow.run({ n }));
    const outcomes = await Promise.allSettled(runs);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(seen).toEqual([1, 2, 3]);
    expect((outcomes[1] as PromiseRejectedResult).reason).toMatchObject({
      kind: "workflow",
      type: "StepExecutionError",
      context: "workflow_execution | step_execution",
      blocks: [{ step: "a", blockType: "odd", message: "even" }],
    });
  });
});

describe("a run", () => {
  it("stops at the first error", async () => {
    const late: string[] = [];
    const failing = block("failing", () => {
      throw new Error("no");
    });
    const after = block("after", ({ n }) => {
      late.push("ran");
      return { out: n! };
    });
    const steps = [
      { type: "failing", name: "a", n: "$inputs.n" },
      { type: "after", name: "b", n: "$steps.a.out" },
    ];
    const workflow = await open([failing, after], steps, "$steps.b.out");
    await expect(workflow.run({ n: 1 })).rejects.toMatchObject({ kind: "internal", problems: [{ step: "a" }] });
    expect(late).toEqual([]);
  });

  it("lets a gate on images decide on their crops", async () => {
    const workflow = await openDocument([CROPS, EVEN, ECHO], {
      version: "1.0",
      inputs: [{ type: "WorkflowBatchInput", name: "image" }],
      steps: [
        { type: "even", name: "gate", n: "$inputs.image", next_steps: ["$steps.size"] },
        { type: "crops", name: "crop", n: "$inputs.image" },
        { type: "echo", name: "size", n: "$steps.crop.out" },
      ],
      outputs: [{ type: "JsonField", name: "sizes", selector: "$steps.size.out" }],
    });
    expect(await workflow.run({ image: [1, 2, 0] })).toEqual([{ sizes: [null] }, { sizes: [20, 21] }, { sizes: [] }]);
  });

  it("nests what is two levels deep, and gives nothing where nothing was made", async () => {
    const workflow = await openDocument([CROPS], {
      version: "1.0",
      inputs: [{ type: "WorkflowBatchInput", name: "image" }],
      steps: [
        { type: "crops", name: "outer", n: "$inputs.image" },
        { type: "crops", name: "inner", n: "$steps.outer.out" },
      ],
      outputs: [
        { type: "JsonField", name: "deep", selector: "$steps.inner.out" },
        { type: "JsonField", name: "all", selector: "$steps.outer.*" },
      ],
    });
    const [first, second] = await workflow.run({ image: [1, 0] });
    expect(first?.deep).toEqual([Array.from({ length: 10 }, (_, at) => 100 + at)]);
    expect(first?.all).toEqual([{ out: 10 }]);
    expect(second).toEqual({ deep: [[]], all: [] });
  });

  it("takes batches that are given two levels deep", async () => {
    const workflow = await openDocument([ECHO], {
      version: "1.0",
      inputs: [{ type: "WorkflowBatchInput", name: "n", dimensionality: 2 }],
      steps: [{ type: "echo", name: "a", n: "$inputs.n" }],
      outputs: [{ type: "JsonField", name: "out", selector: "$steps.a.out" }],
    });
    expect(await workflow.run({ n: [[1, 2], [], [3]] })).toEqual([{ out: [1, 2] }, { out: [] }, { out: [3] }]);
    await expect(workflow.run({ n: [1, 2] })).rejects.toMatchObject({ type: "RuntimeInputError" });
  });

  it("is refused after the workflow was closed", async () => {
    const closed: string[] = [];
    const echo = closing(ECHO, closed);
    const workflow = await open([echo], [{ type: "echo", name: "a", n: "$inputs.n" }]);
    const last = workflow.run({ n: 7 });
    await Promise.all([workflow.close(), workflow.close()]);
    expect(await last).toEqual([{ out: 7 }]);
    expect(closed).toEqual(["echo"]);
    await expect(workflow.run({ n: 8 })).rejects.toMatchObject({ kind: "input" });
  });

  it("waits at the end for what sinks have begun", async () => {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const sink = block("sink", () => ({ out: 1 }));
    const slow: Block = {
      ...sink,
      create: ({ effects }) => ({
        run: () => {
          effects.background?.(promise);
          return { out: 1 };
        },
      }),
    };
    const workflow = await open([slow], [{ type: "sink", name: "a", n: "$inputs.n" }]);
    await workflow.run({ n: 1 });
    let isClosed = false;
    const closing = workflow.close().then(() => {
      isClosed = true;
    });
    await settle();
    expect(isClosed).toBe(false);
    resolve(undefined);
    await closing;
  });

  it("closes what was opened when a later block does not open", async () => {
    const closed: string[] = [];
    const opened = closing(ECHO, closed);
    const broken: Block = {
      ...block("broken", ECHO_RUN),
      create: () => {
        throw modelError("It cannot be had.");
      },
    };
    const steps = [
      { type: "echo", name: "a", n: "$inputs.n" },
      { type: "broken", name: "b", n: "$inputs.n" },
    ];
    await expect(open([opened, broken], steps)).rejects.toMatchObject({ kind: "model" });
    expect(closed).toEqual(["echo"]);
  });
});

describe("saved workflows", () => {
  const child = {
    version: "1.0",
    inputs: [{ type: "WorkflowParameter", name: "x" }],
    steps: [{ type: "echo", name: "a", n: "$inputs.x" }],
    outputs: [{ type: "JsonField", name: "y", selector: "$steps.a.out" }],
  };
  const step = {
    type: "roboflow_core/inner_workflow@v1",
    name: "inner",
    workflow_workspace_id: "me",
    workflow_id: "saved",
    parameter_bindings: { x: "$inputs.n" },
  };

  it("are fetched and run as part of the workflow", async () => {
    const asked: string[] = [];
    const fetchWorkflow = async (workspace: string, id: string): Promise<unknown> => {
      asked.push(`${workspace}/${id}`);
      return child;
    };
    const workflow = await open([ECHO], [step], "$steps.inner.y", { fetchWorkflow });
    expect(await workflow.run({ n: 5 })).toEqual([{ out: 5 }]);
    expect(asked).toEqual(["me/saved"]);
  });

  it("are refused where they cannot be fetched", async () => {
    await expect(open([ECHO], [step], "$steps.inner.y")).rejects.toMatchObject({
      type: "WorkflowEnvironmentConfigurationError",
      problems: [{ step: "inner", property: "workflow_id" }],
    });
  });

  it("are refused when they stand in themselves", async () => {
    const fetchWorkflow = async (): Promise<unknown> => ({ ...child, steps: [{ ...step, parameter_bindings: {} }] });
    await expect(open([ECHO], [step], "$steps.inner.y", { fetchWorkflow })).rejects.toMatchObject({
      type: "InnerWorkflowCompositionCycleError",
    });
  });
});

const ECHO_RUN: BlockInstance["run"] = ({ n }) => ({ out: n! });
const ECHO = block("echo", ECHO_RUN);
/** As many crops as the number says, numbered. */
const CROPS = block(
  "crops",
  ({ n }) => Array.from({ length: n as number }, (_, at) => ({ out: 10 * (n as number) + at })),
  {
    outputDimensionalityOffset: 1,
  },
);
const EVEN = block(
  "even",
  ({ n, next_steps }) =>
    (n as BlockBatch<number>).items.map((item) =>
      item % 2 === 0 ? new FlowControl(next_steps as string[]) : new FlowControl(),
    ),
  {
    properties: [
      { name: "n", type: "sel<*>", required: true },
      { name: "next_steps", type: "list[step-selector]", required: true },
    ],
    batchProperties: ["n"],
    outputs: [],
  },
);

function block(type: string, run: BlockInstance["run"], manifest: Partial<BlockManifest> = {}): Block {
  return {
    manifest: {
      type,
      name: type,
      family: "test",
      properties: [{ name: "n", type: "sel<*> | int", required: true }],
      outputs: [{ name: "out", kinds: ["*"] }],
      ...manifest,
    },
    description: "A block of a test.",
    phrase: () => type,
    create: () => ({ run }),
  };
}

function closing({ manifest, ...rest }: Block, closed: string[]): Block {
  const close = async (): Promise<void> => {
    closed.push(manifest.type);
  };
  return { ...rest, manifest, create: () => ({ run: ECHO_RUN, close }) };
}

/** Two steps that wait at a door for each frame: `see`, then `track`. */
function pipelineOf(traits: Pick<Block, "stateless" | "sharesMemory">): {
  blocks: readonly Block[];
  log: string[];
  doors: Map<string, () => void>;
} {
  const log: string[] = [];
  const doors = new Map<string, () => void>();
  const waiting = (name: string): BlockInstance["run"] => {
    return async ({ n }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      log.push(`${name} ${n}`);
      doors.set(`${name} ${n}`, resolve);
      await promise;
      return { out: n! };
    };
  };
  return { blocks: [{ ...block("see", waiting("see")), ...traits }, block("track", waiting("track"))], log, doors };
}

const SEE_AND_TRACK = [
  { type: "see", name: "model", n: "$inputs.n" },
  { type: "track", name: "tracker", n: "$steps.model.out" },
];

function open(
  blocks: readonly Block[],
  steps: readonly object[] = SEE_AND_TRACK,
  selector = `$steps.${(steps.at(-1) as { name: string }).name}.out`,
  options: Partial<CompileOptions> = {},
): Promise<CompiledWorkflow> {
  const document = {
    version: "1.0",
    inputs: [{ type: "WorkflowParameter", name: "n" }],
    steps,
    outputs: [{ type: "JsonField", name: "out", selector }],
  };
  return openDocument(blocks, document, options);
}

function openDocument(
  blocks: readonly Block[],
  document: object,
  options: Partial<CompileOptions> = {},
): Promise<CompiledWorkflow> {
  return openWorkflow(document, createBlockCatalog(blocks, []), { models: modelRegistryOf([]), ...options });
}

/** Lets everything happen that waits for nothing. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
