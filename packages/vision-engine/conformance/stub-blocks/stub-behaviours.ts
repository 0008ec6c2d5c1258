import {
  BlockBatch,
  type BlockContext,
  type BlockInputs,
  type BlockInstance,
  type BlockOutputs,
  type BlockValue,
  batchLength,
  elementInputs,
  FlowControl,
} from "../../src/blocks/block.ts";
import type { DetectionTable } from "../../src/frames/detections.ts";
import { Timestamp, type VideoMetadata } from "../../src/frames/frame.ts";
import { ImageValue } from "../../src/frames/image-value.ts";
import { compileStatement } from "../../src/query/statements.ts";
import { createByteTrack } from "../../src/tracking/byte-track.ts";

/** Makes what a block does with the inputs of a call. */
type Behaviour = (context: BlockContext) => BlockInstance["run"];

/** The same whatever came before. */
function always(run: BlockInstance["run"]): Behaviour {
  return () => run;
}

/** A batch block from what it does with one element. */
function each(run: (inputs: BlockInputs) => BlockOutputs | FlowControl | readonly BlockOutputs[]): Behaviour {
  return always((inputs) =>
    Array.from({ length: batchLengthInside(inputs) }, (_, at) => run(elementInputs(inputs, at))),
  );
}

/** Batches may stand inside lists and dictionaries. */
function batchLengthInside(inputs: BlockInputs): number {
  const nested = Object.values(inputs).flatMap((value) =>
    typeof value === "object" && value !== null && !(value instanceof BlockBatch) ? Object.values(value) : [],
  );
  return Math.max(batchLength(inputs), ...nested.map((value) => (value instanceof BlockBatch ? value.length : 0)));
}

function gate(isOpen: (call: number) => boolean): Behaviour {
  return () => {
    let calls = 0;
    return ({ a_step, next_steps }) => {
      const targets = [a_step ?? next_steps ?? []].flat() as string[];
      const decision = isOpen(calls) ? new FlowControl(targets) : new FlowControl();
      calls += 1;
      return decision;
    };
  };
}

function shapeOf(image: BlockValue | undefined): string {
  const { width, height, channels } = image as ImageValue;
  return `[${height}, ${width}${channels === 3 ? ", 3" : ""}]`;
}

function pairOf({ images_x, images_y }: BlockInputs): string {
  return shapeOf(images_x) + shapeOf(images_y);
}

function linesOf({ images_x, images_y }: BlockInputs): string {
  const [x, y] = [itemsOf(images_x), itemsOf(images_y)];
  return x.map((image, at) => shapeOf(image) + shapeOf(y[at])).join("\n");
}

function itemsOf(value: BlockValue | undefined): readonly BlockValue[] {
  return (value as BlockBatch<BlockValue>).items;
}

function byKey(value: BlockValue | undefined): readonly BlockValue[] {
  const dictionary = value as Readonly<Record<string, BlockValue>>;
  return Object.keys(dictionary)
    .sort()
    .map((key) => dictionary[key]!);
}

function listsByKey(value: BlockValue | undefined): readonly BlockValue[] {
  return byKey(value).map((batch) => itemsOf(batch));
}

function flatItems(value: BlockValue | undefined): readonly BlockValue[] {
  return (value as readonly BlockValue[]).flatMap((batch) => [...itemsOf(batch)]);
}

const CERTAIN = always(() => ({ float_value: 0.4 }));
const CERTAIN_EACH = each(() => ({ float_value: 0.4 }));
const CERTAIN_BOTH: Behaviour = always((inputs) => {
  const length = batchLengthInside(inputs);
  if (length === 0) return { float_value: 0.4 };
  return Array.from({ length }, () => ({ float_value: 0.4 }));
});

const FLOW: Readonly<Record<string, Behaviour>> = {
  ABTest:
    ({ random }) =>
    ({ a_step, b_step }) =>
      new FlowControl([String(random() < 0.5 ? a_step : b_step)]),
  Condition:
    (context) =>
    ({ condition_statement, evaluation_parameters, steps_if_true, steps_if_false }) => {
      const isTrue = compileStatement(condition_statement, context)(evaluation_parameters as Record<string, unknown>);
      return new FlowControl((isTrue ? steps_if_true : steps_if_false) as readonly string[]);
    },
  AlwaysMove: gate(() => true),
  AlwaysStop: gate(() => false),
  MoveEven: gate((call) => call % 2 === 0),
  AlwaysTerminate: gate(() => false),
  AlwaysPass: each(({ next_steps }) => new FlowControl(next_steps as readonly string[])),
  EachSecondPass: gate((call) => call % 2 === 0),
};

const IMAGES: Readonly<Record<string, Behaviour>> = {
  ImageProducer:
    ({ newId }) =>
    ({ shape }) => {
      const [height, width] = shape as readonly [number, number];
      const rgba = new Uint8ClampedArray(4 * width * height);
      const parent = { id: `image_producer.${newId()}`, x: 0, y: 0, width, height };
      return { image: new ImageValue({ width, height, rgba, parent }) };
    },
  ImageConsumer: each(({ images }) => ({ shapes: shapeOf(images) })),
  ImageConsumerNonSIMD: always(({ images }) => ({ shapes: shapeOf(images) })),
  MultiSIMDImageConsumer: each((inputs) => ({ metadata: pairOf(inputs) })),
  MultiImageConsumer: always((inputs) => ({ shapes: pairOf(inputs) })),
  MultiImageConsumerRaisingDim: always((inputs) => [{ shapes: pairOf(inputs) }]),
  MultiSIMDImageConsumerRaisingDim: each((inputs) => [{ shapes: pairOf(inputs) }]),
  MultiNonSIMDImageConsumerDecreasingDim: always((inputs) => ({ shapes: linesOf(inputs) })),
  MultiSIMDImageConsumerDecreasingDim: each((inputs) => ({ shapes: linesOf(inputs) })),
  reference_images_comparison: always(({ image, reference_images }) => ({
    similarity: (reference_images as readonly ImageValue[]).map((other) =>
      shareOfEqualPixels(image as ImageValue, other),
    ),
  })),
};

const DEPTHS: Readonly<Record<string, Behaviour>> = {
  DimensionalityIncrease: always(() => ["a", "b", "c", "d"].map((output) => ({ output }))),
  ImageAndTextsStitch: always(({ texts }) => ({ output: itemsOf(texts).join(", ") })),
  Identity: always(({ x }) => ({ x: x! })),
  IdentitySIMD: each(({ x }) => ({ x: x! })),
  BoostDimensionality: always(({ x }) => [{ x: x! }, { x: x! }]),
  DoubleBoostDimensionality: always(({ x, y }) => [
    { x: x!, y: y! },
    { x: x!, y: y! },
  ]),
  NonSIMDConsumerAcceptingList: always(({ x, y }) => ({ x: x!, y: y! })),
  NonSIMDConsumerAcceptingDict: always(({ x }) => ({ x: byKey(x) })),
  NonSIMDConsumerAcceptingListIncDim: always(({ x }) => [{ x: x! }, { x: x! }]),
  NonSIMDConsumerAcceptingDictIncDim: always(({ x }) => [{ x: byKey(x) }, { x: byKey(x) }]),
  NonSIMDConsumerAcceptingListDecDim: always(({ x }) => ({ x: flatItems(x) })),
  NonSIMDConsumerAcceptingDictDecDim: always(({ x }) => ({ x: listsByKey(x) })),
  SIMDConsumerAcceptingList: each(({ x, y }) => ({ x: x!, y: y! })),
  SIMDConsumerAcceptingDict: each(({ x }) => ({ x: byKey(x) })),
  SIMDConsumerAcceptingDictIncDim: each(({ x }) => [{ x: byKey(x) }, { x: byKey(x) }]),
  SIMDConsumerAcceptingDictDecDim: each(({ x }) => ({ x: listsByKey(x) })),
  SIMDConsumerAcceptingListDecDim: each(({ x }) => ({ x: flatItems(x) })),
};

const SECRETS: Readonly<Record<string, Behaviour>> = {
  block_accepting_empty_scalars: always(() => ({ output: "modified-secret" })),
  block_accepting_scalars: always(({ secret }) => ({ output: secret! })),
  block_accepting_empty_images: always(({ secret }) => ({ output: secret === null ? "empty" : "ok" })),
  block_accepting_images: always(() => ({ output: "ok" })),
  block_accepting_empty_batches_of_images: each(({ secret }) => ({ output: secret === null ? "empty" : "ok" })),
  block_accepting_batches_of_images: each(() => ({ output: "ok" })),
  secret_store: always(() => ({ secret: "my_secret" })),
  secret_store_user: each(({ secret }) => ({ output: secret! })),
  batch_secret_store:
    ({ newId }) =>
    () => ({ secret: `my_secret_${newId()}` }),
  non_batch_secret_store_user: always(({ secret }) => ({ output: secret! })),
};

/** What each test-only block does, by its type. */
export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  ...FLOW,
  ...IMAGES,
  ...DEPTHS,
  ...SECRETS,
  batch_only_echo: always(({ items }) =>
    items instanceof BlockBatch ? items.items.map((output) => ({ output })) : [{ output: "no_batch" }],
  ),
  scalar_only_echo: always(({ value }) => ({ output: value! })),
  CurrentTime:
    ({ now }) =>
    () => ({ time: Timestamp.ofMs(now()).iso }),
  NonBatchInputBlock: CERTAIN,
  MixedInputWithBatchesBlock: CERTAIN_BOTH,
  MixedInputWithoutBatchesBlock: CERTAIN,
  BatchInputBlockProcessingBatches: CERTAIN_EACH,
  BatchInputBlockNotProcessingBatches: CERTAIN,
  CompoundNonBatchInputBlock: CERTAIN,
  CompoundMixedInputBlockManifestBlock: CERTAIN_BOTH,
  CompoundStrictBatchBlock: CERTAIN_EACH,
  CompoundNonStrictBatchBlock: CERTAIN,
  ExampleVideoMetadataProcessing: always(({ metadata }) => ({
    frame_number: (metadata as VideoMetadata).frameNumber,
  })),
  Tracker: trackEachVideo,
};

function trackEachVideo(): BlockInstance["run"] {
  const trackers = new Map<string, ReturnType<typeof createByteTrack>>();
  return ({ metadata, predictions }) => {
    const { videoIdentifier, fps } = metadata as VideoMetadata;
    const tracker = trackers.get(videoIdentifier) ?? createByteTrack({ fps });
    trackers.set(videoIdentifier, tracker);
    return { tracker_id: tracker.update(predictions as DetectionTable).ids };
  };
}

function shareOfEqualPixels(one: ImageValue, other: ImageValue): number {
  if (one.width !== other.width || one.height !== other.height) return 0;
  let equal = 0;
  for (let at = 0; at < one.rgba.length; at++) if (one.rgba[at] === other.rgba[at]) equal += 1;
  return equal / one.rgba.length;
}
