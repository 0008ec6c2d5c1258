import { expect, it } from "vitest";
import { countCrossings } from "./count-crossings.ts";

it("counts people who cross the middle of the street", async () => {
  expect(await countCrossings({ source: "sim://street?start=60&fps=30", frames: 120 })).toBeGreaterThan(0);
});
