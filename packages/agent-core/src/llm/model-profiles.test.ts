import { describe, expect, it } from "vitest";
import type { Clock } from "../types/clock.ts";
import type { ModelProfile } from "./llm-client.ts";
import { createModelProfiles, type ModelProfilesOptions } from "./model-profiles.ts";

describe("createModelProfiles", () => {
  it("VI-7 lets the configuration win over the provider, and the provider over the table", async () => {
    const { models } = open({
      configured: [{ id: "m1", maxOutput: 3 }],
      list: async () => [{ id: "m1", maxOutput: 2, contextWindow: 20 }],
    });
    await models.find("m1");
    await listRead();
    expect(await models.find("m1")).toMatchObject({
      maxOutput: 3,
      contextWindow: 20,
      supportsVision: true,
      source: "config",
    });
  });

  it("asks once for all who wait, and again after a day", async () => {
    let asked = 0;
    const { models, clock } = open({
      list: async () => {
        asked += 1;
        return [];
      },
    });
    await Promise.all([models.find("m1"), models.find("m1")]);
    await listRead();
    await models.find("m1");
    expect(asked).toBe(1);
    clock.nowMs += 25 * 3_600_000;
    await models.find("m1");
    expect(asked).toBe(2);
  });

  it("keeps what it read when a later reading fails, and tries again after a while", async () => {
    let asked = 0;
    const { models, clock } = open({
      list: async () => {
        asked += 1;
        if (asked === 2) throw new Error("gone");
        return [{ id: "m1", maxOutput: asked }];
      },
    });
    await models.find("m1");
    await listRead();
    clock.nowMs += 25 * 3_600_000;
    await models.find("m1");
    await listRead();
    const warnings: string[] = [];
    const kept = await models.find("m1", (code, message) => warnings.push(`${code}: ${message}`));
    await models.find("m1", (code, message) => warnings.push(`${code}: ${message}`));
    expect(kept.maxOutput).toBe(1);
    expect(warnings).toEqual([expect.stringMatching(/^profiles_builtin: .*gone/)]);
    clock.nowMs += 600_001;
    await models.find("m1");
    await listRead();
    expect((await models.find("m1")).maxOutput).toBe(3);
  });

  it("does not wait for a list that hangs: what is built in or configured is known at once", async () => {
    const { models } = open({
      list: () => new Promise(() => undefined),
      configured: [{ id: "m2", maxOutput: 7 }],
      guess: (id) => ({ ...M1, id }),
    });
    expect(await models.find("m1")).toMatchObject({ id: "m1", maxOutput: 1 });
    expect(await models.find("m2")).toMatchObject({ id: "m2", maxOutput: 7 });
  });

  it("gives the first list a moment where it says more than a guess, and only once", async () => {
    const naps: number[] = [];
    const { models } = open({
      list: () => new Promise(() => undefined),
      guess: (id) => ({ ...M1, id }),
      sleep: async (ms) => void naps.push(ms),
    });
    expect(await models.find("m3")).toMatchObject({ id: "m3" });
    await listRead();
    expect(await models.find("m3")).toMatchObject({ id: "m3" });
    expect(naps).toEqual([5_000, 1_000]);
  });

  it("waits one second in all for a list that hangs, however often it is asked", async () => {
    const naps: number[] = [];
    const { models, clock } = open({
      list: () => new Promise(() => undefined),
      guess: (id) => ({ ...M1, id }),
      sleep: (ms) => {
        naps.push(ms);
        if (ms > 1_000) return new Promise(() => undefined);
        clock.nowMs += ms;
        return Promise.resolve();
      },
    });
    for (let time = 0; time < 4; time++) await models.find("m3");
    expect(naps).toEqual([5_000, 1_000]);
  });

  it("says how the warning of a list that was not read is turned off", async () => {
    const { models } = open({
      list: async () => {
        throw new Error("404 not found");
      },
      guess: (id) => ({ ...M1, id }),
    });
    const warnings: string[] = [];
    await models.find("m3", (_, message) => warnings.push(message));
    await listRead();
    await models.find("m3", (_, message) => warnings.push(message));
    expect(warnings).toEqual([expect.stringMatching(/404 not found.*`refreshProfiles: false`/)]);
  });

  it("AI-17 refuses a model that nobody knows", async () => {
    const { models } = open({ list: async () => [] });
    await expect(models.find("other")).rejects.toMatchObject({
      kind: "invalid",
      code: "unknown_model",
      message: expect.stringContaining('profiles: [{ id: "other"'),
    });
  });

  it.each([
    [{ retiresAt: "2026-11-30T00:00:00Z" }, "retires on 2026-11-30"],
    [{ retiresAt: "2026-01-30T00:00:00Z" }, "was to be retired on 2026-01-30"],
    [{ deprecatedAt: "2026-06-01T00:00:00Z" }, "is deprecated since 2026-06-01"],
    [{ deprecatedAt: "2027-06-01T00:00:00Z" }, undefined],
  ])("warns once of %j, to those who listen", async (lifecycle, words) => {
    const { models } = open({ configured: [{ id: "m1", lifecycle }] });
    const warnings: string[] = [];
    await models.find("m1");
    await models.find("m1", (code, message) => warnings.push(`${code}: ${message}`));
    await models.find("m1", (code, message) => warnings.push(`${code}: ${message}`));
    expect(warnings).toEqual(words === undefined ? [] : [expect.stringContaining(words)]);
  });
});

/** Lets a list that is there be read. */
function listRead(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

const M1: ModelProfile = {
  id: "m1",
  provider: "test",
  contextWindow: 10,
  maxOutput: 1,
  supportsVision: true,
  supportsTemperature: false,
};

function open({
  sleep,
  ...options
}: Partial<ModelProfilesOptions<ModelProfile>> & { readonly sleep?: Clock["sleep"] }) {
  const clock = {
    nowMs: Date.UTC(2026, 10, 15),
    now: () => clock.nowMs,
    monotonic: () => clock.nowMs,
    sleep: sleep ?? (() => new Promise<void>(() => undefined)),
  };
  const models = createModelProfiles({ builtin: [M1], configured: [], guess: () => undefined, clock, ...options });
  return { models, clock };
}
