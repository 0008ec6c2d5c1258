import { expect, it } from "vitest";
import { countLine } from "./count-line.ts";

it("counts people who cross the middle of the street, each way", async () => {
  expect(await countLine("sim://street?width=160&height=90")).toBe("in 7, out 7");
}, 60_000);

it("says why a video does not open", async () => {
  await expect(countLine("no-such-video.mp4")).rejects.toThrow("no-such-video.mp4");
});
