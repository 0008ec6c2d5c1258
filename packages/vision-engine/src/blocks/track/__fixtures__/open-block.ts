import { ImageValue } from "../../../frames/image-value.ts";
import { type FakeFrameOptions, frameOf, modelRegistryOf } from "../../../testing/index.ts";
import type { Block, BlockOutputs, BlockValue } from "../../block.ts";

/** One instance of a block that takes no batches; what a call leaves out has its default. `clock.now` in milliseconds. */
export async function openBlock(
  block: Block,
  clock: { readonly now: number } = { now: 0 },
): Promise<(inputs: Record<string, BlockValue>) => Promise<BlockOutputs>> {
  const properties = block.manifest.properties.map(({ name, default: value = null }) => [name, value] as const);
  const defaults = Object.fromEntries(properties);
  const instance = await block.create({
    step: { name: "step", properties: defaults },
    models: modelRegistryOf([]),
    newId: () => "id",
    now: () => clock.now,
    random: () => 0.5,
    effects: {},
    memory: new Map(),
  });
  return async (inputs) => (await instance.run({ ...defaults, ...inputs })) as BlockOutputs;
}

/** A frame of a fake camera as an input. */
export function imageOf(options: FakeFrameOptions = {}): ImageValue {
  return ImageValue.ofFrame(frameOf(options));
}
