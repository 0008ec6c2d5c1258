import type { FrameResult, Watch, WatchReplayRequest, WatchReport, WatchRequest } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import type { SeenResult } from "../scene/follow-camera.ts";
import { fakeModes } from "../testing/fake-places.ts";
import { WatchError } from "../watches/watch-error.ts";
import type { ClipRun } from "./clip-frames.ts";
import { type CreateReplayOptions, createReplay } from "./create-replay.ts";
import { describeReplay } from "./describe-replay.ts";

const START_MS = Date.parse("2026-05-20T21:58:00.000Z");

describe("a watch on what was seen before", () => {
  it("lists the alerts that a change would gain, lose and move, the same each time", async () => {
    const { replay } = setup();
    const request = { watch: "watch_1", changes: { cooldown_seconds: 60 } };
    const first = await replay(request);
    expect(first.alerts.map(({ change, alert }) => [change, secondsInto(alert.at)])).toEqual([
      ["same", 10],
      ["gained", 100],
      ["gained", 190],
      ["gained", 280],
    ]);
    expect(first).toMatchObject({ against: "watch_1", seen: 8, sent: 4, suppressed: [{ gate: "cooldown", count: 4 }] });
    expect(JSON.stringify(await replay(request))).toBe(JSON.stringify(first));
    expect(describeReplay(first, { toTime: (at) => at, most: 2 })).toBe(
      [
        '"a person" from 2026-05-20T21:58:00.000Z to 2026-05-20T22:03:59.500Z (360 s of pictures)',
        "Judged on what was noted then: 360 of 86400 s.",
        "  2026-05-20T21:58:10.000Z  gate  A person appeared on gate.",
        "+ 2026-05-20T21:59:40.000Z  gate  A person appeared on gate. (1 more since the last alert)",
        "and 2 more",
        "Against watch_1 as it is: 3 gained, 0 lost, 0 moved, 1 the same.",
        "Seen 8 times, alerts 4; held back: cooldown 4.",
        "Only 360 s were seen, too little to tell how a day would be.",
      ].join("\n"),
    );
  });

  it("tells lost and moved apart: hours that begin later lose the early ones, and a stay is told later", async () => {
    const { replay } = setup();
    const night = await replay({ watch: "watch_1", changes: { active_hours: { from: "22:00", to: "06:00" } } });
    expect(night.alerts.map(({ change, alert }) => [change, secondsInto(alert.at)])).toEqual([
      ["lost", 10],
      ["gained", 145],
    ]);
    expect(night.suppressed).toEqual([
      { gate: "cooldown", count: 4 },
      { gate: "hours", count: 3 },
    ]);
    const stay = await replay({ watch: "watch_1", changes: { condition: { kind: "stays", seconds: 3 } } });
    expect(stay.alerts[0]).toMatchObject({ change: "moved", before: time(10) });
  });

  it("is new when no watch has its words: everything is gained, per day where enough was seen, and a check is counted", async () => {
    const { replay } = setup({ seconds: 1200 });
    const { words: _, ...rest } = WATCH;
    const check = { question: "Is it a person?", expect: "yes", frames: 1, daily_usd: 0.2 } as const;
    const found = await replay({ watch: { ...rest, words: "another", cooldown_seconds: 0, check } });
    expect(found.against).toBeUndefined();
    expect(new Set(found.alerts.map(({ change }) => change))).toEqual(new Set(["gained"]));
    expect(found.sent_per_day).toBe(found.sent * 72);
    expect(found.check).toEqual({ questions: found.sent, per_day: found.sent * 72, most_usd_per_day: 0.2 });
    expect(found.not_judged).toEqual(["The vision model was not asked: each of these alerts would first be checked."]);
  });

  it("ignores that it is muted now, takes the mode that was on then, and says what is not known: clips without a date, nothing seen", async () => {
    const { replay } = setup({ watch: { muted_until: "2036-01-01T00:00:00.000Z" } });
    expect((await replay({ watch: "watch_1" })).sent).toBe(1);
    const modes = { at: (ms: number) => (ms < START_MS + 120_000 ? "away" : "home") };
    const moded = await setup({ modes }).replay({ watch: "watch_1", changes: { modes: ["home"] } });
    expect(moded.alerts.map(({ change, alert }) => [change, secondsInto(alert.at)])).toEqual([
      ["lost", 10],
      ["gained", 145],
    ]);
    expect(moded.suppressed).toContainEqual({ gate: "mode", count: 3 });
    const clip = await replay({
      watch: "watch_1",
      clip: "/clips/a.mp4",
      changes: { active_hours: { from: "04:00", to: "05:00" } },
    });
    expect(clip.sent).toBe(1);
    expect(clip.not_judged).toContain("The clip has no date: its times were left out of account. Say when it starts.");
    expect(clip.footage).toEqual({ seconds: 360 });
    expect(clip.alerts[0]?.alert).toMatchObject({ footage_seconds: expect.any(Number) });
    expect(JSON.stringify(clip)).not.toContain("1970");
    expect(describeReplay(clip, { toTime: (at) => at, most: 1 })).toMatch(/at [\d.]+ s {2}gate/);
    const nothing = await setup({ seconds: 0 }).replay({ watch: "watch_1" });
    expect(nothing).toMatchObject({ seen: 0, sent: 0, alerts: [] });
    expect(nothing.not_judged).toEqual(["There are no pictures of that time: nothing could be judged."]);
  });

  it("looks at a clip with the detector that the watch names, with the score it asks for, once for each", async () => {
    const { replay, clips } = setup();
    const clip = "/clips/a.mp4";
    await replay({ watch: "watch_1", clip });
    await replay({ watch: "watch_1", clip, changes: { model_id: "acme/forklifts/3" } });
    await replay({ watch: "watch_1", clip, changes: { min_confidence: 0.2 } });
    expect(clips.map(({ modelId, confidence }) => [modelId, confidence])).toEqual([
      ["detector", undefined],
      ["acme/forklifts/3", undefined],
      ["detector", undefined],
      ["detector", 0.2],
      ["detector", undefined],
    ]);
  });

  it("refuses a watch, a camera, a period and a file that cannot be", async () => {
    const { replay } = setup();
    const refused = async (request: WatchReplayRequest, message: RegExp): Promise<void> => {
      const thrown = await replay(request).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(WatchError);
      expect((thrown as Error).message).toMatch(message);
    };
    await refused({ watch: "nobody" }, /^There is no watch nobody\. There are: watch_1 "a person"\.$/);
    await refused({ watch: "watch_1", camera: "yard" }, /not on yard/);
    await refused({ watch: "watch_1", from: time(10), to: time(10) }, /ends before it begins/);
    await refused({ watch: "watch_1", clip: "rtsp://camera/1" }, /whole path of a video file/);
    await refused(
      { watch: "watch_1", clip: "/clips/a.mp4", from: time(0) },
      /a clip, or a period with from, to and footage, not both/,
    );
    await refused({ watch: "watch_1", clip: "/clips/a.mp4", footage: true }, /not both/);
    await refused({ watch: "watch_1", clip: "/clips/a.mp4", starts: "9999-12-31T23:59:59Z" }, /in the future/);
  });
});

const WATCH: WatchRequest = {
  words: "a person",
  cameras: ["gate"],
  classes: ["person"],
  condition: { kind: "appears" },
  cooldown_seconds: 600,
  severity: "info",
};

function time(seconds: number): string {
  return new Date(START_MS + seconds * 1000).toISOString();
}

function secondsInto(at = ""): number {
  return Math.floor((Date.parse(at) - START_MS) / 1000);
}

/** Somebody is there for five seconds, every 45. */
function setup({
  seconds = 360,
  watch = {},
  modes = fakeModes(),
}: {
  seconds?: number;
  watch?: Partial<Watch>;
  modes?: CreateReplayOptions["modes"];
} = {}) {
  const current = { ...WATCH, ...watch, id: "watch_1", enabled: true, created_at: time(0) } as unknown as WatchReport;
  const clips: ClipRun[] = [];
  const seen: CreateReplayOptions["seenIn"] = async function* () {
    for (let at = 0; at < seconds * 2; at += 1) yield [frameAt(at / 2)];
  };
  const replay = createReplay({
    timeZone: "UTC",
    watches: { list: () => [current], check: (request) => request },
    placeOf: () => undefined,
    modes,
    seenIn: seen,
    seenOn: (clip) => {
      clips.push(clip);
      return seen({ camera: "gate", fromMs: 0, toMs: 0 });
    },
    piecesIn: async () => [],
    seenOnFootage: () => seen({ camera: "gate", fromMs: 0, toMs: 0 }),
    clipModel: "detector",
    events: { list: () => [] },
    clock: { now: () => START_MS },
  });
  const { signal } = new AbortController();
  return { clips, replay: (request: WatchReplayRequest) => replay(request, signal) };
}

function frameAt(second: number): SeenResult {
  const round = Math.floor(second / 45);
  const isThere = second % 45 >= 9 && second % 45 < 14;
  const detections = {
    image: { width: 100, height: 100 },
    xyxy: isThere ? [10, 10, 20, 40] : [],
    confidence: isThere ? [0.9] : [],
    class_id: isThere ? [0] : [],
    class_name: isThere ? ["person"] : [],
    tracker_id: isThere ? [round] : [],
  };
  const result: FrameResult = {
    frame: { source_id: "gate", frame_number: 1, timestamp: time(second), width: 100, height: 100, fps: 2 },
    outputs: { tracked_detections: { kind: "detections", detections } },
    latency_ms: 0,
  };
  return { camera: "gate", pipelineId: "pipe_1", result };
}
