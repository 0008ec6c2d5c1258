import { describe, expect, it } from "vitest";
import type { Price } from "../llm/llm-client.ts";
import { requirePrice } from "./require-price.ts";

const stated: Price = { tiers: [], asOf: "2026-06-01" };
const assumed: Price = { tiers: [], asOf: "2026-01-01" };

describe("requirePrice", () => {
  it("takes what is stated before what is assumed", () => {
    expect(requirePrice({ model: "m", price: stated, assumePrice: assumed })).toBe(stated);
    expect(requirePrice({ model: "m", assumePrice: assumed })).toBe(assumed);
  });

  it("complaint 11: refuses a model whose price nobody knows, since no limit would hold", () => {
    expect(() => requirePrice({ model: "m" })).toThrow(
      expect.objectContaining({ kind: "budget", code: "unknown_price" }),
    );
  });
});
