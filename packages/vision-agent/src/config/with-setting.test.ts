import { describe, expect, it } from "vitest";
import { withValue } from "./with-setting.ts";

const LIMIT = { group: "llm", key: "cost_limit_daily", value: 5 };

describe("one value of config.yaml", () => {
  it.each([
    [
      "is replaced",
      "# mine\nllm:\n  model: x # best\n  cost_limit_daily: 10.00   # dollars\ndemo: false\n",
      "# mine\nllm:\n  model: x # best\n  cost_limit_daily: 5   # dollars\ndemo: false\n",
    ],
    [
      "is added to its group",
      "llm:\n    # which\n    model: x\n",
      "llm:\n    # which\n    cost_limit_daily: 5\n    model: x\n",
    ],
    ["is added with its group", "demo: false", "demo: false\n\nllm:\n  cost_limit_daily: 5\n"],
    ["is added to an empty file", "", "\nllm:\n  cost_limit_daily: 5\n"],
    ["is replaced in a group on one line", "llm: { cost_limit_daily: 9 }\n", "llm: { cost_limit_daily: 5 }\n"],
    ["is added to a group on one line", "llm: { model: x }\n", 'llm: { "cost_limit_daily": 5, model: x }\n'],
    ["is added to JSON", '{"llm":{"model":"x"}}', '{"llm":{"cost_limit_daily": 5, "model":"x"}}'],
  ])("%s, and every other byte stays", (_, before, after) => {
    expect(withValue(before, LIMIT)).toBe(after);
  });

  it.each([
    ["a group that is no group", "llm: none\n"],
    ["a file on one line without the group", '{"demo": false}'],
    ["an empty group", "llm:\ndemo: false\n"],
    ["a file that is no YAML", "llm: [\n"],
  ])("is left to the person in %s", (_, before) => {
    expect(withValue(before, LIMIT)).toBeUndefined();
  });
});
