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
    clock.nowMs += 25 * 3_600_000;
    const warnings: string[] = [];
    const kept = await models.find("m1", (code, message) => warnings.push(`${code}: ${message}`));
    await models.find("m1", (code, message) => warnings.push(`${code}: ${message}`));
    expect(kept.maxOutput).toBe(1);
    expect(warnings).toEqual([expect.stringMatching(/^profiles_builtin: .*gone/)]);
    clock.nowMs += 600_001;
    expect((await models.find("m1")).maxOutput).toBe(3);
  });

  it("does not wait for a list that does not come", async () => {
    const { models } = open({ list: () => new Promise(() => undefined), sleep: async () => undefined });
    expect(await models.find("m1")).toMatchObject({ id: "m1", maxOutput: 1 });
  });

  it("AI-17 refuses a model that nobody knows", async () => {
    const { models } = open({ list: async () => [] });
    await expect(models.find("other")).rejects.toMatchObject({ kind: "invalid", code: "unknown_model" });
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
