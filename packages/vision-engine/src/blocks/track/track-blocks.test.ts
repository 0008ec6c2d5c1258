import { describe, expect, it } from "vitest";
import type { DetectionTable } from "../../frames/detections.ts";
import { detectionsOf, type FakeObject } from "../../testing/index.ts";
import { imageOf, openBlock } from "./__fixtures__/open-block.ts";
import { stabilizeDetections } from "./stabilize-detections.ts";
import { RecentVideos, trackClassLock } from "./track-class-lock.ts";
import { botSortBlock, byteTrackerV1, byteTrackerV3, sortBlock } from "./trackers.ts";

const WALKER: FakeObject = { box: [5, 5, 20, 20] };

describe("tracker blocks", () => {
  it("tell newcomers from those seen before, and forget the oldest beyond the cache size", async () => {
    const run = await openBlock(byteTrackerV3);
    const two = detectionsOf([WALKER, { box: [30, 5, 50, 20] }]);
    const step = async () => {
      const outputs = await run({ image: imageOf(), detections: two, instances_cache_size: 1 });
      return [outputs.new_instances, outputs.already_seen_instances].map((rows) => (rows as DetectionTable).length);
    };
    expect(await step()).toEqual([2, 0]);
    expect(await step()).toEqual([2, 0]);
  });

  it("count ids apart for each video", async () => {
    const run = await openBlock(sortBlock);
    const idsOn = async (sourceId: string) => {
      const inputs = { image: imageOf({ sourceId }), detections: detectionsOf([WALKER]) };
      return [...((await run(inputs)).tracked_detections as DetectionTable).trackerId!];
    };
    for (let frame = 0; frame < 3; frame++) await idsOn("one");
    for (let frame = 0; frame < 2; frame++) expect(await idsOn("other")).toEqual([]);
    expect([await idsOn("one"), await idsOn("other")]).toEqual([[0], [0]]);
  });

  it("say what is missing: a frame rate, a way to follow the camera", async () => {
    const metadata = { ...imageOf().video!, fps: 0 };
    const detections = detectionsOf([WALKER]);
    await expect((await openBlock(byteTrackerV1))({ metadata, detections })).rejects.toThrow("frame rate");
    const botSort = await openBlock(botSortBlock);
    await expect(botSort({ image: imageOf(), detections, enable_cmc: true, cmc_method: "orb" })).rejects.toThrow(
      "direct backend",
    );
  });
});

describe("track class lock", () => {
  it("holds a track to the class that leads, through single frames of another", async () => {
    const run = await openBlock(trackClassLock);
    const seen = async (className: string) => {
      const detections = detectionsOf([{ ...WALKER, className, trackerId: 7 }]);
      const outputs = await run({ image: imageOf(), detections, min_votes: 2, lead_margin: 2, switch_after: 3 });
      return (outputs.tracked_detections as DetectionTable).data.class_name![0];
    };
    for (let frame = 0; frame < 2; frame++) await seen("car");
    expect([await seen("person"), await seen("person"), await seen("person")]).toEqual(["car", "car", "person"]);
  });
});

describe("stabilize detections", () => {
  it("carries a track on that is not seen, and forgets it after the window", async () => {
    const run = await openBlock(stabilizeDetections);
    const lefts: number[] = [];
    for (const x of [0, 10, 20, undefined, undefined, undefined, undefined]) {
      const objects = x === undefined ? [] : [{ box: [x, 0, x + 10, 10], trackerId: 1 } as const];
      const outputs = await run({ image: imageOf(), detections: detectionsOf(objects), smoothing_window_size: 2 });
      lefts.push((outputs.tracked_detections as DetectionTable).xyxy[0] ?? Number.NaN);
    }
    expect(lefts.map((left) => Math.round(left))).toEqual([0, 2, 12, 22, 24, Number.NaN, Number.NaN]);
  });
});

describe("RecentVideos", () => {
  it("forgets the video that was not asked for longest", () => {
    const videos = new RecentVideos<{ frames: number }>(2, () => ({ frames: 0 }));
    videos.of("a").frames = 1;
    videos.of("b").frames = 1;
    videos.of("a");
    videos.of("c");
    expect([videos.of("a").frames, videos.of("b").frames]).toEqual([1, 0]);
  });
});
