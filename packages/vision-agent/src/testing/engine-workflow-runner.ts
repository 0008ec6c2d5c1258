// the workflows of a fake Inference server → the vision engine
import {
  type FakeModel,
  findThings,
  keypointsOf,
  type RunnerBlock,
  type RunnerModels,
  scoreClasses,
  WorkflowFault,
  type WorkflowRunner,
} from "@vision-agent/inference-client/testing";
import type { Json } from "@vision-agent/protocol";
import {
  type ClassificationModel,
  compileWorkflow,
  type DetectionModel,
  DetectionTable,
  EngineError,
  type Frame,
  listKnownBlocks,
  type Mask,
  type ModelRegistry,
  type ModelsByTask,
  type ModelTask,
} from "@vision-agent/vision-engine";

type Thing = ReturnType<typeof findThings>[number];
type JsonMap = { [key: string]: Json };

/** Runs workflows as a server does: checked, executed and written out by the engine, seen by the server's fake models. */
export function engineWorkflowRunner(): WorkflowRunner {
  return {
    blocks: listKnownBlocks().map(toRunnerBlock),
    async open(specification, models) {
      const workflow = await asFault(compileWorkflow(specification, { models: registryOf(models) }));
      return {
        async run(inputs) {
          const results = await asFault(workflow.run(inputs, { serialize: true }));
          return JSON.parse(JSON.stringify(results)) as JsonMap[];
        },
        close: () => workflow.close(),
      };
    },
  };
}

function toRunnerBlock({
  type,
  aliases,
  name,
  family,
  properties,
  outputs,
}: ReturnType<typeof listKnownBlocks>[number]): RunnerBlock {
  return {
    type,
    aliases,
    name,
    family,
    outputs,
    properties: properties.map((property) => ({
      name: property.name,
      required: property.required === true,
      takesValues: property.type.replaceAll(/sel<[^>]*>|step-selector|null|[\s|]/g, "") !== "",
      kinds: [...property.type.matchAll(/sel<([^>]*)>/g)].flatMap(([, kinds]) => kinds!.split("|")),
    })),
  };
}

async function asFault<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof EngineError ? toFault(error) : error;
  }
}

/** As a server tells it: no property of a block it does not know, no block of a circle. */
function toFault(error: EngineError): WorkflowFault {
  const { type = "WorkflowError", context = "workflow_execution", cause } = error;
  const blocks = error.blocks.map(({ step, blockType, property, message }) => {
    return { step, type: blockType, property: property === "type" ? undefined : property, message };
  });
  const isCircle = type === "ExecutionGraphStructureError" && blocks.every(({ property }) => property === undefined);
  return new WorkflowFault({
    message: type === "StepExecutionError" ? (blocks[0]?.message ?? error.message) : error.message,
    type,
    context,
    blocks: isCircle ? [] : blocks,
    innerType: cause instanceof EngineError ? cause.type : undefined,
  });
}

/** A model that is not there is missed by the step that runs it, not before. */
function registryOf(models: RunnerModels): ModelRegistry {
  return {
    async open<T extends ModelTask>(id: string, task: T) {
      const take = (): FakeModel => models.take(id) ?? missing();
      const model = task === "classification" ? classifier(id, take) : detector(id, take);
      return model as unknown as ModelsByTask[T];
    },
  };
}

function missing(): never {
  const message = "Could not connect to Roboflow API.";
  throw new EngineError({ kind: "model", message, type: "RoboflowAPIConnectionError" });
}

function detector(id: string, take: () => FakeModel): DetectionModel {
  return {
    id,
    description: "A model of the fake server.",
    get classNames() {
      return take().classes;
    },
    async detect({ metadata }, { confidence, maxDetections }) {
      const model = take();
      const things = findThings(model, metadata, metadata.frame_number, { confidence, maxDetections });
      return toDetections(things, model, metadata);
    },
    close: async () => undefined,
  };
}

function classifier(id: string, take: () => FakeModel): ClassificationModel {
  return {
    id,
    description: "A model of the fake server.",
    get classNames() {
      return take().classes;
    },
    get multiLabel() {
      return take().task === "multi-label-classification";
    },
    classify: async ({ metadata }) => Float32Array.from(scoreClasses(take(), metadata)),
    close: async () => undefined,
  };
}

function toDetections(things: readonly Thing[], { task }: FakeModel, size: Frame["metadata"]): DetectionTable {
  const points = task === "keypoint-detection" ? things.map((thing) => keypointsOf(thing)) : undefined;
  return new DetectionTable({
    xyxy: Float64Array.from(things.flatMap(cornersOf)),
    confidence: Float64Array.from(things, ({ confidence }) => confidence),
    classId: Int32Array.from(things, ({ classId }) => classId),
    masks: task === "instance-segmentation" ? things.map((thing) => maskOf(thing, size)) : undefined,
    data: {
      class_name: things.map(({ className }) => className),
      ...(points && {
        keypoints_xy: points.map((row) => row.map(({ x, y }) => [x, y])),
        keypoints_confidence: points.map((row) => row.map(({ confidence }) => confidence)),
        keypoints_class_id: points.map((row) => row.map(({ classId }) => classId)),
        keypoints_class_name: points.map((row) => row.map(({ className }) => className)),
      }),
    },
    metadata: { image_dimensions: [size.height, size.width] },
  });
}

function cornersOf({ x, y, width, height }: Thing): readonly number[] {
  return [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
}

/** Every pixel of the box. */
function maskOf(thing: Thing, { width, height }: { readonly width: number; readonly height: number }): Mask {
  const [left, top] = cornersOf(thing).map(Math.round) as [number, number];
  const rows = Array.from({ length: thing.height }, (_, row) => [(top + row) * width + left, thing.width]);
  return { width, height, runs: Int32Array.from(rows.flat()) };
}
