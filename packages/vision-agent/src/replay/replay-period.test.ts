import { createFakeClock } from "@vision-agent/agent-core/testing";
import type { WatchReport } from "@vision-agent/protocol";
import { expect, it } from "vitest";
import { tracedInputs } from "../scene/replay-trace.ts";
import { openSceneTrace } from "../store/scene-trace.ts";
import { fakeModes } from "../testing/fake-places.ts";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { createReplay } from "./create-replay.ts";

const START_MS = Date.parse("2026-05-20T08:00:00.000Z");

it("replays a change of a watch on what its camera showed in a period, with the pictures that were kept", async () => {
  const clock = createFakeClock(START_MS + 3_600_000);
  const trace = await openSceneTrace({
    files: createMemoryFiles(),
    folder: "/w/trace",
    keepHours: 24,
    maxBytes: 1e8,
    clock,
    onProblem: (message) => expect.unreachable(message),
  });
  // Somebody is there for five seconds of each minute, for twenty minutes.
  for (let tick = 0; tick < 6000; tick += 1) {
    const second = tick / 5;
    const box = [0.1, 0.1, 0.2, 0.4] as const;
    const person = { trackerId: Math.floor(second / 60), className: "person", confidence: 0.8, box };
    trace.note({
      ...{ camera: "gate", pipelineId: "pipe_1", atMs: START_MS + second * 1000, width: 640, height: 360 },
      things: second % 60 < 5 ? [person] : [],
      weak: [],
      values: {},
    });
  }
  const watch = {
    id: "watch_1",
    words: "a person",
    cameras: ["gate"],
    classes: ["person"],
    condition: { kind: "appears" },
    cooldown_seconds: 300,
    severity: "info",
  } as unknown as WatchReport;
  const replay = createReplay({
    timeZone: "UTC",
    watches: { list: () => [watch], check: (request) => request },
    placeOf: () => undefined,
    modes: fakeModes(),
    seenIn: (period) => tracedInputs(trace, period),
    seenOn: () => expect.unreachable("there is no clip"),
    piecesIn: () => expect.unreachable("no footage was asked for"),
    seenOnFootage: () => expect.unreachable("no footage was asked for"),
    clipModel: "detector",
    events: {
      list: ({ camera, from }) => [
        {
          id: "event_1",
          kind: "appeared",
          timestamp: from,
          camera,
          pipeline_id: "",
          frame_number: 1,
          text: "",
          picture: "art_1",
        },
      ],
    },
    clock,
  });
  const [from, to] = [START_MS, START_MS + 1_200_000].map((ms) => new Date(ms).toISOString());
  const found = await replay(
    { watch: "watch_1", changes: { cooldown_seconds: 120 }, from, to },
    AbortSignal.timeout(60_000),
  );
  expect(found).toMatchObject({ seen: 20, sent: 10, sent_per_day: 720, not_judged: [], judged_on: "trace" });
  const count = (wanted: string): number => found.alerts.filter(({ change }) => change === wanted).length;
  expect([count("same"), count("gained"), count("lost")]).toEqual([2, 8, 2]);
  expect(found.alerts.flatMap(({ alert }) => alert.picture ?? [])).toEqual(["art_1", "art_1", "art_1"]);
});
