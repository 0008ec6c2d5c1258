import { describe, expect, it } from "vitest";
import { ImageValue } from "../../frames/image-value.ts";
import { detectionsOf, frameOf, modelRegistryOf } from "../../testing/index.ts";
import { type Block, type BlockContext, type BlockInputs, type BlockValue, FlowControl } from "../block.ts";
import { imageOf, openBlock } from "../track/__fixtures__/open-block.ts";
import { continueIf, deltaFilter, environmentSecretsStore, rateLimiter } from "./branches.ts";
import { buffer, cacheGet, cacheSet, frameDelay, imageStack } from "./kept-values.ts";

const NEXT = { next_steps: ["$steps.next"] };

describe("continue if", () => {
  it("goes on for a while after the condition held", async () => {
    const clock = { now: 0 };
    const run = await openBlock(continueIf, clock);
    const goesOn = async (seconds: number, value: number): Promise<boolean> => {
      clock.now = seconds * 1000;
      return isOpen(
        await run({ ...NEXT, condition_statement: above(5), evaluation_parameters: { value }, stop_delay: 2 }),
      );
    };
    expect([await goesOn(0, 1), await goesOn(1, 9), await goesOn(3, 1), await goesOn(3.1, 1)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it("ends the way when nothing comes next", async () => {
    const run = await openBlock(continueIf);
    expect(
      isOpen(await run({ condition_statement: above(0), evaluation_parameters: { value: 1 }, next_steps: [] })),
    ).toBe(false);
  });
});

describe("rate limiter", () => {
  it("counts by the clock, and again only from a run that went through", async () => {
    const clock = { now: 0 };
    const run = await openBlock(rateLimiter, clock);
    const passed: boolean[] = [];
    for (const seconds of [0, 0.9, 1.0, 1.9, 2.0]) {
      clock.now = seconds * 1000;
      passed.push(isOpen(await run({ ...NEXT, cooldown_seconds: 1 })));
    }
    expect(passed).toEqual([true, false, true, false, true]);
  });

  it("counts by the frames of a video when it has one", async () => {
    const run = await openBlock(rateLimiter);
    const passed: boolean[] = [];
    for (const frameNumber of [1, 10, 11, 20, 21]) {
      const video_reference_image = imageOf({ frameNumber });
      passed.push(isOpen(await run({ ...NEXT, cooldown_seconds: 1, video_reference_image })));
    }
    expect(passed).toEqual([true, false, true, false, true]);
  });
});

describe("delta filter", () => {
  it("compares by value, for each video", async () => {
    const run = await openBlock(deltaFilter);
    const changed = async (sourceId: string, value: BlockValue) =>
      isOpen(await run({ ...NEXT, image: imageOf({ sourceId }), value }));
    const person = () => detectionsOf([{ className: "person", box: [0, 0, 5, 5] }]);
    expect([await changed("a", person()), await changed("a", person()), await changed("b", person())]).toEqual([
      true,
      false,
      true,
    ]);
    expect([await changed("c", null), await changed("c", [1]), await changed("c", [1])]).toEqual([false, true, false]);
  });
});

describe("cache", () => {
  it("keeps values for the other step, by video", async () => {
    const memory = new Map();
    const [set, get] = [await instanceOf(cacheSet, { memory }), await instanceOf(cacheGet, { memory })];
    const [door, gate] = [imageOf({ sourceId: "door" }), imageOf({ sourceId: "gate" })];
    expect(await get({ image: door, key: "count" })).toEqual({ output: false });
    await set({ image: door, key: "count", value: 3 });
    expect(await get({ image: door, key: "count" })).toEqual({ output: 3 });
    expect(await get({ image: gate, key: "count" })).toEqual({ output: false });
  });
});

describe("frame delay", () => {
  it("keeps no more than it was asked for, and starts anew when numbers go back", async () => {
    const run = await openBlock(frameDelay);
    const at = (frameNumber: number, offset = -2) =>
      run({ image: imageOf({ frameNumber }), data: `v${frameNumber}`, offset });
    for (let frame = 1; frame <= 5; frame++) await at(frame);
    expect(await at(6)).toMatchObject({ output: "v4", is_available: true });
    expect(await at(7, -5)).toMatchObject({ output: null, is_available: false });
    await at(1);
    expect(await at(3, -2)).toMatchObject({ output: "v1" });
  });
});

describe("image stack", () => {
  it("gives small JPEGs, the newest first, and empties on demand", async () => {
    const run = await openBlock(imageStack);
    const counts: unknown[] = [];
    for (const clear of [false, false, false, true]) {
      const { frames, frames_count } = await run({
        image: imageOf({ width: 200, height: 100 }),
        stack_size: 2,
        resolution_width: 100,
        clear,
      });
      counts.push(frames_count);
      expect(sizeOfJpeg((frames as Uint8Array[])[0]!)).toEqual([100, 50]);
    }
    expect(counts).toEqual([1, 2, 2, 1]);
  });
});

describe("secrets", () => {
  it("come only from what the host hands in, under names in small letters", async () => {
    const inputs = { variables_storing_secrets: ["MAIL_KEY", "OTHER"] };
    const shut = await instanceOf(environmentSecretsStore, {});
    await expect(shut(inputs)).rejects.toThrow("not open to workflows");
    const open = await instanceOf(environmentSecretsStore, {
      effects: { secrets: (name) => (name === "MAIL_KEY" ? "k" : undefined) },
    });
    expect(await open(inputs)).toEqual({ mail_key: "k", other: null });
    expect(environmentSecretsStore.outputs!({ name: "s", properties: inputs })).toMatchObject([
      { name: "mail_key" },
      { name: "other" },
    ]);
  });
});

describe("pictures that are kept from run to run", () => {
  const REUSED = new Uint8ClampedArray(4 * 64 * 48);

  /** The frame of this number, in memory that the next one uses too. */
  const frame = (frameNumber: number): ImageValue => {
    REUSED.fill(frameNumber);
    return ImageValue.ofFrame({ ...frameOf({ frameNumber }), rgba: REUSED });
  };
  const shade = (value: BlockValue | undefined): number | undefined =>
    value instanceof ImageValue ? value.rgba[0] : undefined;

  it("stay as they were: in a buffer, also inside of lists and dictionaries", async () => {
    const run = await openBlock(buffer);
    await run({ data: [{ picture: frame(1) }], length: 3 });
    const { output } = await run({ data: [{ picture: frame(2) }], length: 3 });
    const [second, first] = output as unknown as { picture: ImageValue }[][];
    expect([shade(first![0]!.picture), shade(second![0]!.picture)]).toEqual([1, 2]);
    frame(3);
    expect([shade(first![0]!.picture), shade(second![0]!.picture)]).toEqual([1, 2]);
  });

  it("stay as they were: in a delay and in a cache", async () => {
    const delay = await openBlock(frameDelay);
    const memory = new Map();
    const [set, get] = [await instanceOf(cacheSet, { memory }), await instanceOf(cacheGet, { memory })];
    for (const frameNumber of [1, 2]) {
      const image = frame(frameNumber);
      const { output } = await delay({ image, data: image, offset: -1 });
      if (frameNumber === 2) expect(shade(output)).toBe(1);
      if (frameNumber === 1) await set({ image, key: "first", value: image });
    }
    const kept = (await get({ image: frame(3), key: "first" })) as { output: BlockValue };
    expect(shade(kept.output)).toBe(1);
  });
});

function isOpen(result: unknown): boolean {
  return result instanceof FlowControl && result.next !== undefined;
}

function above(limit: number) {
  const left_operand = { type: "DynamicOperand", operand_name: "value" };
  const right_operand = { type: "StaticOperand", value: limit };
  const statements = [{ type: "BinaryStatement", left_operand, comparator: { type: "(Number) >" }, right_operand }];
  return { type: "StatementGroup", statements };
}

async function instanceOf(
  block: Block,
  context: Partial<BlockContext>,
): Promise<(inputs: BlockInputs) => Promise<unknown>> {
  const instance = await block.create({
    step: { name: "step", properties: {} },
    models: modelRegistryOf([]),
    newId: () => "id",
    now: () => 0,
    random: () => 0,
    effects: {},
    memory: new Map(),
    ...context,
  });
  return async (inputs) => instance.run(inputs);
}

/** Width and height from the start-of-frame segment. */
function sizeOfJpeg(bytes: Uint8Array): readonly number[] {
  const at = bytes.findIndex((byte, index) => byte === 0xff && bytes[index + 1] === 0xc0);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return [view.getUint16(at + 7), view.getUint16(at + 5)];
}
