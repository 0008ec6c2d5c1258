import { expect, it } from "vitest";
import { examplesFor } from "./examples.ts";

it("speaks only of a camera that is there", () => {
  expect(examplesFor("yard")).toContain("Count people crossing the middle of the yard camera");
  expect(examplesFor(undefined)).toEqual(["What do you see?", "Stop everything"]);
});
