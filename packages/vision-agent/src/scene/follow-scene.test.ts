import type { FrameResult } from "@vision-agent/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DETECTED, watchingWorkflow } from "../pipelines/watching-workflow.ts";
import { type FakeThing, sceneResult, thing, viewsOf } from "../testing/fake-scene.ts";
import { detectSceneEvents } from "./detect-scene-events.ts";
import { EMPTY_SCENE, followScene } from "./follow-scene.ts";
import type { FollowedView } from "./followed-view.ts";
import { areaOf, narrownessOf, type SceneInterest, WHOLE_PICTURE } from "./scene-interest.ts";

/** Downwards in the middle, so that the right side of the picture is left of the line. */
const LINE: SceneInterest = {
  area: areaOf("line", [
    [0.5, 0],
    [0.5, 0.6],
  ]),
  classes: [],
};
const RIGHT_HALF: SceneInterest = {
  area: areaOf("zone", [
    [0.5, 0],
    [1, 0],
    [1, 1],
    [0.5, 1],
  ]),
  classes: [],
};

describe("who is there", () => {
  it("counts after three results, and is gone after two seconds unseen", () => {
    const views = viewsOf([...film([thing(7, "person", 100)], 4), sceneResult(2300, []), sceneResult(2400, [])]);
    expect(views.map(({ there }) => there.length)).toEqual([0, 0, 1, 1, 1, 0]);
    expect(idsOf(views, "arrived")).toEqual([[2, 7]]);
    expect(idsOf(views, "gone")).toEqual([[5, 7]]);
  });

  it("is never told of a flicker, nor of detections that nobody tracks", () => {
    const flicker = [...film([thing(7, "dog", 100)], 2), sceneResult(9000, [])];
    const untracked = film([thing(7, "car", 100)], 4, { untracked: true });
    for (const results of [flicker, untracked]) {
      expect(viewsOf(results).flatMap(({ arrived, gone }) => [...arrived, ...gone])).toEqual([]);
    }
  });

  it("is the same when the tracker loses it and gives it a new number nearby", () => {
    const walk = (id: number, from: number, to: number) =>
      Array.from({ length: (to - from) / 100 }, (_, n) => sceneResult(from + n * 100, [thing(id, "person", 300 + n)]));
    const views = viewsOf([...walk(1, 0, 1000), ...walk(2, 1500, 5000)]);
    expect(views.flatMap(({ arrived }) => arrived)).toHaveLength(1);
    expect(views.flatMap(({ gone }) => gone)).toEqual([]);
  });

  it("is the same when it was lost while it stood partly outside, and is found again inside", () => {
    const [cut, whole] = [thing(1, "person", 500, 972), thing(2, "person", 500, 966)];
    const film = [...Array(10).fill([cut]), ...Array(4).fill([]), ...Array(6).fill([whole])];
    const results = film.map((things, n) => sceneResult(n * 100, things));
    expect(viewsOf(results).flatMap(({ arrived }) => arrived)).toHaveLength(1);
  });

  it("is another one far away, beside the first, and at the edge of the picture where people come and go", () => {
    const arrivals = (first: FakeThing, second: FakeThing, then = [second]) => {
      const results = Array.from({ length: 20 }, (_, n) => sceneResult(n * 100, n < 10 ? [first] : then));
      return viewsOf(results).flatMap(({ arrived }) => arrived).length;
    };
    const one = thing(1, "person", 300);
    expect(arrivals(one, thing(2, "person", 400))).toBe(2);
    expect(arrivals(one, thing(2, "car", 300))).toBe(2);
    expect(arrivals(one, thing(2, "person", 302), [one, thing(2, "person", 302)])).toBe(2);
    expect(arrivals(thing(1, "person", 990), thing(2, "person", 990))).toBe(2);
  });

  it("is forgotten longest unseen first when there are more than 512", () => {
    const many = Array.from({ length: 2000 }, (_, id) => thing(id, "ant", 100));
    const context = { camera: "street", pipelineId: "pipe_1", pipelines: new Set<string>(), counters: [] };
    const { memory } = followScene(EMPTY_SCENE, sceneResult(0, many), { ...context, interests: [] });
    expect(memory.tracks.size).toBe(512);
    expect(memory.tracks.has("pipe_1 1999")).toBe(true);
  });
});

describe("several pipelines on one camera", () => {
  it("share their tracks: the first one that shows a class has it", () => {
    const person = (id: number): FakeThing => thing(id, "person", 100);
    const results = [0, 100, 200, 300, 400].flatMap((ms) => [
      ["pipe_1", sceneResult(ms, [person(1)])] as const,
      ["pipe_2", sceneResult(ms + 50, [person(8), thing(9, "vest", 100)])] as const,
    ]);
    const views = viewsOf(results);
    expect(views.flatMap(({ arrived }) => arrived.map((track) => [track.pipelineId, track.className]))).toEqual([
      ["pipe_1", "person"],
      ["pipe_2", "vest"],
    ]);
    expect(views.at(-1)?.there).toHaveLength(2);
  });

  it("leave a class to the one that leaves out least of it, whichever came first", () => {
    const results = [0, 100, 200, 300, 400].flatMap((ms) => [
      ["pipe_1", sceneResult(ms, [thing(1, "person", 600)])] as const,
      ["pipe_2", sceneResult(ms + 50, [thing(8, "person", 600), thing(9, "person", 100)])] as const,
    ]);
    const narrowness = new Map([
      ["pipe_1", 2.4],
      ["pipe_2", 1.4],
    ]);
    const views = viewsOf(results, { narrowness });
    expect(idsOf(views, "arrived").map(([, id]) => id)).toEqual([8, 9]);
    expect(views.at(-1)?.there.map(({ pipelineId }) => pipelineId)).toEqual(["pipe_2", "pipe_2"]);
  });

  it("leave out more with each filter before the tracker, and with a higher confidence", () => {
    const filter = { type: "roboflow_core/detections_filter@v1", name: "inside", predictions: DETECTED };
    const before = { steps: [filter], followed: "$steps.inside.predictions" };
    const [whole = 0, sure = 0, filtered = 0] = [{}, { confidence: 0.7 }, { before }].map((options) =>
      narrownessOf(watchingWorkflow({ modelId: "vision-agent/default", ...options })),
    );
    expect(whole).toBeLessThan(sure);
    expect(sure).toBeLessThan(filtered);
  });

  it("hand over: what one saw is known to the other by its place, with its stay and without coming or leaving", () => {
    const before = film([thing(1, "person", 600), thing(2, "person", 300)], 5).map((one) => ["pipe_1", one] as const);
    const after = film([thing(31, "person", 606), thing(32, "person", 304)], 30, { fromMs: 500 });
    const handed = after.map((one) => ["pipe_2", one] as const);
    const running = { pipelines: new Set(["pipe_2"]), interests: [{ ...RIGHT_HALF, staySeconds: 2 }] };
    const views = viewsOf([...before, ...handed], running);
    expect(idsOf(views, "arrived").map(([, id]) => id)).toEqual([1, 2]);
    expect(idsOf(views, "gone")).toEqual([]);
    expect(views.flatMap(({ entered }) => entered)).toHaveLength(1);
    expect(views.flatMap(({ stayed }) => stayed.map(({ track }) => track.trackerId))).toEqual([31]);
    expect(views.at(-1)?.there.map(({ trackerId }) => trackerId)).toEqual([31, 32]);
    const visits = views.map(({ there }) => there.map(({ visitId }) => visitId)).filter(({ length }) => length > 0);
    expect(visits.at(-1)).toEqual(visits[0]);
  });

  it("hand over, too, when the first goes on but sees no such thing for two seconds", () => {
    const person = (pipelineId: string, ms: number, id: number) =>
      [pipelineId, sceneResult(ms, [thing(id, "person", 100)])] as const;
    const first = [0, 100, 200].map((ms) => person("pipe_1", ms, 1));
    const blind = [1000, 2000, 3000].map((ms) => ["pipe_1", sceneResult(ms, [])] as const);
    const second = [250, 1050, 2050, 2350, 2450].map((ms) => person("pipe_2", ms, 5));
    const views = viewsOf([...first, ...second, ...blind]);
    expect(idsOf(views, "arrived").map(([, id]) => id)).toEqual([1]);
    expect(idsOf(views, "gone")).toEqual([]);
    expect(views.at(-1)?.there.map(({ pipelineId }) => pipelineId)).toEqual(["pipe_2"]);
  });
});

describe("a line", () => {
  it("is crossed by who comes to its other side, and not past its ends", () => {
    const walk = (y: number): readonly FrameResult[] =>
      [300, 400, 480, 550, 700].map((x, at) => sceneResult(at * 100, [thing(1, "car", x, y)]));
    expect(crossingsOf(walk(300))).toEqual([[3, "in", 1]]);
    expect(crossingsOf(walk(300).toReversed())).toEqual([[2, "out", 1]]);
    expect(crossingsOf(walk(900))).toEqual([]);
  });

  it("is crossed once by who stands on it and sways, and by the way that it leaves in the end", () => {
    // 5 px to and fro around the line, with a box of 20 px.
    const sways = [400, 470, ...Array.from({ length: 28 }, (_, at) => (at % 2 === 0 ? 505 : 495))];
    const told = (last: readonly number[]) =>
      crossingsOf([...sways, ...last].map((x, at) => sceneResult(at * 100, [thing(1, "person", x)]))).map(
        (crossing) => (crossing as unknown[])[1],
      );
    expect(told([])).toEqual(["in"]);
    expect(told([530, 600])).toEqual(["in"]);
    expect(told([470, 400])).toEqual(["in", "out"]);
    expect(told([600, 400, 600])).toEqual(["in", "out", "in"]);
  });

  it("is crossed by two at once in two directions", () => {
    const results = [
      sceneResult(0, [thing(1, "car", 470), thing(2, "person", 530)]),
      sceneResult(100, [thing(1, "car", 530), thing(2, "person", 470)]),
    ];
    expect(crossingsOf(results)).toEqual([
      [1, "in", 1],
      [1, "out", 2],
    ]);
  });

  it("is crossed once by who goes round its end, where no side counts", () => {
    const path = [
      [400, 300],
      [450, 700],
      [550, 700],
      [600, 300],
    ] as const;
    const results = path.map(([x, y], at) => sceneResult(at * 100, [thing(1, "car", x, y)]));
    expect(crossingsOf(results)).toEqual([[3, "in", 1]]);
  });

  it("is there only for the classes that were asked for", () => {
    const results = [sceneResult(0, [thing(1, "car", 470)]), sceneResult(100, [thing(1, "car", 530)])];
    expect(crossingsOf(results, { ...LINE, classes: ["person"] })).toEqual([]);
    expect(crossingsOf(results, { ...LINE, classes: ["Car"] })).toHaveLength(1);
  });

  it("is judged by the workflow's counter where the workflow gives no tracks, from the first value on and after a reset", () => {
    const counters = [{ area: LINE.area, direction: "in", output: "my_count" }] as const;
    const counted = [5, 5, 7, 0, 1].map((my_count, at) =>
      sceneResult(at * 100, [], { counts: { my_count }, untracked: true }),
    );
    const views = viewsOf(counted, { counters });
    expect(views.map(({ crossings }) => crossings.length)).toEqual([0, 0, 2, 0, 1]);
    const tracked = [5, 7].map((my_count, at) => sceneResult(at * 100, [], { counts: { my_count } }));
    expect(viewsOf(tracked, { counters }).flatMap(({ crossings }) => crossings)).toEqual([]);
  });
});

describe("a zone", () => {
  it("is entered and left by where a thing stands, and a box that trembles leaves nothing", () => {
    const [outside, inside] = [thing(1, "person", 400), thing(1, "person", 600)];
    const shown = [outside, outside, outside, inside, outside, inside, outside, outside, inside];
    const views = viewsOf(
      shown.map((one, at) => sceneResult(at * 100, [one])),
      { interests: [RIGHT_HALF] },
    );
    expect(visitsOf(views, "entered")).toEqual([3, 8]);
    expect(visitsOf(views, "exited")).toEqual([7]);
  });

  it("is left by who is gone", () => {
    const views = viewsOf([...film([thing(1, "person", 600)], 4), sceneResult(9000, [])], { interests: [RIGHT_HALF] });
    expect(visitsOf(views, "entered")).toEqual([2]);
    expect(visitsOf(views, "exited")).toEqual([4]);
  });

  it("was not entered by those who stood in it before anybody asked", () => {
    let memory = EMPTY_SCENE;
    const views = film([thing(1, "person", 600)], 6).map((one, at) => {
      const interests = at < 4 ? [] : [RIGHT_HALF];
      const pipelines = new Set(["pipe_1"]);
      const context = { camera: "street", pipelineId: "pipe_1", pipelines, counters: [], interests };
      const step = followScene(memory, one, context);
      memory = step.memory;
      return step.view;
    });
    expect(visitsOf(views, "entered")).toEqual([]);
    expect(memory.tracks.get("pipe_1 1")?.stays.size).toBe(1);
  });

  it("tells of each stay once for each time that was asked for, also of who is hidden for a moment", () => {
    const interests = [1, 2, 2].map((staySeconds) => ({ ...RIGHT_HALF, staySeconds }));
    const shown = [...film([thing(1, "person", 600)], 15), ...film([], 10, { fromMs: 1500 })];
    const views = viewsOf(shown, { interests });
    const stayed = views.flatMap((view, at) => view.stayed.map(({ seconds }) => [at, seconds]));
    expect(stayed).toEqual([
      [12, 1],
      [22, 2],
    ]);
  });
});

describe("a count", () => {
  it("is told when it has changed and lasted, from the first that lasted on", () => {
    const [one, two] = [thing(1, "person", 600), thing(2, "person", 700)];
    const shown = [
      ...film([one], 30),
      ...film([one, two], 5, { fromMs: 3000 }),
      ...film([one], 60, { fromMs: 3500 }),
      ...film([one, two], 40, { fromMs: 9500 }),
    ];
    for (const area of [RIGHT_HALF.area, WHOLE_PICTURE]) {
      const views = viewsOf(shown, { interests: [{ area, classes: ["person"], counts: true }] });
      const told = views.flatMap((view, at) => view.counts.map(({ before, count }) => [at, before, count]));
      // The first visit of the second person was too short.
      expect(told).toEqual([[127, 1, 2]]);
    }
  });
});

describe("any film", () => {
  const place = fc.record({
    id: fc.integer({ min: 1, max: 4 }),
    className: fc.constantFrom("person", "car"),
    x: fc.integer({ min: 0, max: 1000 }),
    y: fc.integer({ min: 0, max: 1000 }),
  });
  const frames = fc.array(fc.uniqueArray(place, { selector: ({ id }) => id, maxLength: 4 }), { maxLength: 60 });
  const interests = [LINE, { ...RIGHT_HALF, staySeconds: 1, counts: true }];

  it("gives the same events each time it is shown", () => {
    fc.assert(
      fc.property(frames, (shown) => {
        const results = shown.map((things, at) => sceneResult(at * 300, things));
        const events = () => viewsOf(results, { interests }).flatMap((view) => detectSceneEvents(view, () => "p"));
        expect(events()).toEqual(events());
      }),
    );
  });

  it("lets nobody leave who did not come, nor come twice without leaving, in view and in zones", () => {
    fc.assert(
      fc.property(frames, (shown) => {
        const views = viewsOf(
          shown.map((things, at) => sceneResult(at * 300, things)),
          { interests },
        );
        const inView = new Set<number>();
        const inZone = new Set<number>();
        for (const { arrived, gone, entered, exited, there } of views) {
          for (const { track } of exited) expect(inZone.delete(track.trackerId)).toBe(true);
          for (const { trackerId } of gone) expect(inView.delete(trackerId)).toBe(true);
          for (const { trackerId } of arrived) expect(inView.size).toBeLessThan(inView.add(trackerId).size);
          for (const { track } of entered) expect(inZone.size).toBeLessThan(inZone.add(track.trackerId).size);
          expect(new Set(there.map(({ trackerId }) => trackerId))).toEqual(inView);
        }
      }),
    );
  });

  it("shown by two pipelines with the same model has the events of one", () => {
    fc.assert(
      fc.property(frames, (shown) => {
        const of = (ids: number, pipelineId: string) =>
          shown.map((things, at) => {
            const numbered = things.map((one) => ({ ...one, id: one.id + ids }));
            return [pipelineId, sceneResult(at * 300, numbered)] as const;
          });
        const [first, second] = [of(0, "pipe_1"), of(100, "pipe_2")];
        const both = first.flatMap((one, at) => [one, second[at]!]);
        const told = (views: readonly FollowedView[]) =>
          views.flatMap(({ arrived, gone, crossings }) => [arrived.length, gone.length, crossings.length]);
        const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);
        expect(sum(told(viewsOf(both, { interests })))).toBe(sum(told(viewsOf(first, { interests }))));
      }),
    );
  });
});

/** Ten frames a second. */
function film(
  things: readonly FakeThing[],
  frames: number,
  { fromMs = 0, ...options }: { readonly fromMs?: number; readonly untracked?: boolean } = {},
): readonly FrameResult[] {
  return Array.from({ length: frames }, (_, at) => sceneResult(fromMs + at * 100, things, options));
}

function idsOf(views: readonly FollowedView[], what: "arrived" | "gone"): readonly (readonly number[])[] {
  return views.flatMap((view, at) => view[what].map(({ trackerId }) => [at, trackerId]));
}

function visitsOf(views: readonly FollowedView[], what: "entered" | "exited"): readonly number[] {
  return views.flatMap((view, at) => view[what].map(() => at));
}

function crossingsOf(results: readonly FrameResult[], interest = LINE): readonly unknown[] {
  return viewsOf(results, { interests: [interest] }).flatMap((view, at) =>
    view.crossings.map(({ direction, track }) => [at, direction, track?.trackerId]),
  );
}
