import { describe, expect, it } from "vitest";
import { fakeCameras, fakeContext, textOf } from "../testing/fake-app.ts";
import { fakePlaces } from "../testing/fake-places.ts";
import { savePlaceTool } from "./save-place.ts";

const LEFT = [
  [0, 0],
  [0.5, 0],
  [0.5, 1],
  [0, 1],
] as const;

describe("save_place", () => {
  const places = fakePlaces();
  const tool = savePlaceTool({ cameras: fakeCameras("yard"), places });
  const save = (args: Parameters<typeof tool.execute>[0]) => tool.execute(args, fakeContext());

  it("names a part of the picture in words or points, and moves it under the same name", async () => {
    expect(textOf(await save({ camera: "YARD", name: " driveway ", zone: "left half" }))).toMatch(
      /^driveway is a zone of yard now/,
    );
    expect(places.find("yard", "driveway")).toEqual({ kind: "zone", name: "driveway", points: LEFT });
    expect(textOf(await save({ camera: "yard", name: "Driveway", zone: "right half" }))).toMatch(
      /^driveway lies elsewhere on yard now/,
    );
    expect(textOf(await save({ camera: "yard", name: "kerb", line: "horizontal middle" }))).toMatch(/^kerb is a line/);
  });

  it.each([
    [{ camera: "roof", name: "driveway", zone: "left half" }, /roof/],
    [{ camera: "yard", name: "drive|way", zone: "left half" }, /^The name of a place is a name of letters/],
    [{ camera: "yard", name: "drive" }, /^Say where it lies/],
    [{ camera: "yard", name: "drive", zone: "left half", line: "left" }, /a line or a zone, not both/],
    [{ camera: "yard", name: "drive", zone: "behind the shed" }, /is not a place in the picture/],
    [{ camera: "yard", name: "kerb", zone: "left half" }, /^kerb is a line of yard\. Give the zone another name/],
  ])("refuses %j with a sentence that says what to do", async (args, sentence) => {
    await expect(save(args)).rejects.toThrow(sentence);
  });
});
