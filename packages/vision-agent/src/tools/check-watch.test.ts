import type { LLMClient } from "@vision-agent/agent-core";
import { createFakeClock } from "@vision-agent/agent-core/testing";
import type { SceneEvent, Watch } from "@vision-agent/protocol";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { createWatchCheck, type storedCheckCostSchema, type WatchCheckOptions } from "./check-watch.ts";
import { hashPicture, isAlike } from "./picture-hash.ts";

const WATCH: Watch = {
  id: "watch_1",
  words: "vans",
  cameras: ["street"],
  classes: ["truck"],
  condition: { kind: "appears" },
  cooldown_seconds: 30,
  severity: "info",
  enabled: true,
  created_at: "2026-01-01T00:00:00.000Z",
  check: { question: "Is it a van?", expect: "yes", frames: 1, daily_usd: 0.01 },
};

describe("a question before an alert", () => {
  it("confirms with the answer that is expected, and denies with the other", async () => {
    const app = setUp({ answers: ["Yes, a white one.", "no."] });
    const check = await app.open();
    expect(await check(WATCH, app.event("van"))).toEqual({
      kind: "confirmed",
      reason: '"Is it a van?" was answered with yes, by eye-1.',
    });
    expect(await check(WATCH, app.event("car"))).toMatchObject({ kind: "denied" });
    const opposite = { ...WATCH, id: "watch_2", check: { ...WATCH.check!, expect: "no" as const } };
    app.answers.push("No");
    expect(await check(opposite, app.event("car"))).toMatchObject({ kind: "confirmed" });
    expect(app.asked[0]?.prompt).toContain("Is it a van?");
  });

  it("goes out unchecked when the model never answers, even if it can only be asked whether it sees", async () => {
    const app = setUp({ answers: [], hangs: true });
    const check = await app.open();
    const outcome = check(WATCH, app.event("van"));
    await app.clock.advance(30_000);
    expect(await outcome).toEqual({ kind: "unchecked", reason: "no answer came within 30 s." });
  });

  it("is not asked twice about pictures that look the same", async () => {
    const app = setUp({ answers: ["yes", "no"] });
    const check = await app.open();
    await check(WATCH, app.event("van"));
    expect(await check(WATCH, app.event("van"))).toMatchObject({ kind: "confirmed", reason: /picture like it/ });
    expect(app.asked).toHaveLength(1);
    expect(await check(WATCH, app.event("car"))).toMatchObject({ kind: "denied" });
  });

  it("shows as many pictures of the same moment as the watch wants, its own first", async () => {
    const app = setUp({ answers: ["yes"] });
    app.events.push(app.event("a"), app.event("b"), { ...app.event("old"), timestamp: "2025-12-31T00:00:00.000Z" });
    const check = await app.open();
    await check({ ...WATCH, check: { ...WATCH.check!, frames: 4 } }, app.event("van"));
    expect(app.asked[0]?.images).toEqual(["van", "a", "b"]);
  });

  it.each([
    ["no model", { visionModel: undefined }, "no model that sees"],
    ["a model without sight", { canSee: false }, "no model that sees"],
    ["pictures that may not leave", { refusal: () => "pictures of street may not go there." }, "may not go there"],
    ["a model that fails", { fails: true }, "The daily limit is reached."],
    ["no clear answer", { answers: ["Perhaps."] }, "no clear answer"],
  ])("goes out unchecked with %s, and says why", async (_, options, reason) => {
    const check = await setUp({ answers: [], ...options }).open();
    expect(await check(WATCH, event("van"))).toEqual({ kind: "unchecked", reason: expect.stringContaining(reason) });
  });

  it("goes out unchecked without a picture", async () => {
    const check = await setUp({ answers: [] }).open();
    const { picture: _, ...bare } = event("van");
    expect(await check(WATCH, bare)).toMatchObject({ kind: "unchecked", reason: "there is no picture of it." });
  });

  it("costs no more than the watch allows in a day, also after a restart", async () => {
    const app = setUp({ answers: ["yes", "yes", "yes"], costMicroUsd: 6000 });
    const check = await app.open();
    await check(WATCH, app.event("a"));
    await check(WATCH, app.event("b"));
    const spent = { kind: "unchecked", reason: "its 0.01 USD for today are spent." };
    expect(await check(WATCH, app.event("c"))).toEqual(spent);
    expect(await (await app.open())(WATCH, app.event("d"))).toEqual(spent);
    app.day = "2026-01-02";
    expect(await check(WATCH, app.event("e"))).toMatchObject({ kind: "confirmed" });
  });
});

describe("the hash of a picture", () => {
  it("stays the same for a little noise, and differs where the thing in the box does", async () => {
    const scene = async (thing: { width: number; height: number; background: string }, noise: number) => {
      const input = await sharp({ create: { ...thing, channels: 3 } })
        .png()
        .toBuffer();
      const background = { r: 90 + noise, g: 90, b: 90 };
      return sharp({ create: { width: 320, height: 240, channels: 3, background } })
        .composite([{ input, left: 200, top: 110 }])
        .jpeg()
        .toBuffer();
    };
    const van = { width: 20, height: 50, background: "white" };
    const cat = { width: 40, height: 20, background: "black" };
    const box: [number, number, number, number] = [180, 100, 240, 160];
    const [one, noisy, other] = await Promise.all([scene(van, 0), scene(van, 3), scene(cat, 0)]);
    const hash = await hashPicture(one, box);
    expect(isAlike(hash, await hashPicture(noisy, box))).toBe(true);
    expect(isAlike(hash, await hashPicture(other, box))).toBe(false);
    await expect(hashPicture(new Uint8Array([1, 2, 3]), box)).rejects.toThrow();
  });
});

function event(picture: string): SceneEvent {
  const about = { kind: "condition_true" as const, camera: "street", pipeline_id: "pipe_1", frame_number: 1, text: "" };
  return { id: `event_${picture}`, timestamp: "2026-01-01T00:00:00.000Z", ...about, picture };
}

function setUp(options: {
  readonly answers: string[];
  readonly visionModel?: undefined;
  readonly canSee?: boolean;
  readonly fails?: boolean;
  readonly hangs?: boolean;
  readonly costMicroUsd?: number;
  readonly refusal?: WatchCheckOptions["refusal"];
}) {
  const { answers, canSee = true, fails = false, hangs = false, costMicroUsd = 0, refusal = () => undefined } = options;
  const stored: z.infer<typeof storedCheckCostSchema>[] = [];
  const client = {} as LLMClient;
  const clock = createFakeClock();
  const app = {
    clock,
    answers,
    event,
    events: [] as SceneEvent[],
    asked: [] as { prompt: string; images: readonly string[] }[],
    day: "2026-01-01",
    open: () =>
      createWatchCheck({
        visionModel: "visionModel" in options ? undefined : model,
        refusal,
        payingFor: (paid, onCost) => {
          onCost(costMicroUsd);
          return paid;
        },
        pictureOf: async (id) => new TextEncoder().encode(id),
        hash: async (bytes) => {
          const bits = [...bytes].reduce((all, byte) => (all << 8n) | BigInt(byte), 0n) * 0x9e3779b97f4a7c15n;
          return { whole: bits, thing: bits };
        },
        events: { list: () => app.events },
        store: { load: async () => [...stored], save: async (entries) => void stored.splice(0, 99, ...entries) },
        timeZone: "UTC",
        clock: { now: () => Date.parse(`${app.day}T00:00:00Z`), sleep: clock.sleep },
      }),
  };
  const model: WatchCheckOptions["visionModel"] = {
    name: "eye-1",
    canSee: () => (hangs ? new Promise(() => undefined) : Promise.resolve(canSee)),
    async ask({ prompt, image }, { pay }) {
      pay(client);
      if (fails) throw new Error("The daily limit is reached.");
      app.asked.push({ prompt, images: [image].flat().map(({ artifactId }) => artifactId) });
      return answers.shift() ?? "";
    },
  };
  return app;
}
