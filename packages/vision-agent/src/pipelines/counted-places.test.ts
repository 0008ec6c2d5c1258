import type { CameraPlace } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import type { ActivePipeline } from "./active-state.ts";
import { countSpec, followCountedPlaces } from "./counted-places.ts";

const COUNTED = { kind: "line", model_id: "m", classes: ["person"], width: 100, height: 50 } as const;
const GATE: CameraPlace = {
  kind: "line",
  name: "gate",
  points: [
    [0.5, 0],
    [0.5, 1],
  ],
};
const MOVED: CameraPlace = {
  ...GATE,
  points: [
    [0.2, 0],
    [0.2, 1],
  ],
} as CameraPlace;

describe("a count at a named place", () => {
  it("follows the place when it moves, and once", async () => {
    const { changed, follow, places } = setUp();
    await follow();
    expect(changed).toEqual([]);
    places.set("yard gate", MOVED);
    await follow();
    await follow();
    expect(changed).toEqual(["p1"]);
  });

  it("stays where it is when the place is gone or is a zone now", async () => {
    const { changed, follow, places } = setUp();
    places.set("yard gate", {
      kind: "zone",
      name: "gate",
      points: [
        [0, 0],
        [1, 0],
        [1, 1],
      ],
    });
    await follow();
    places.clear();
    await follow();
    expect(changed).toEqual([]);
  });
});

function setUp() {
  const places = new Map<string, CameraPlace>([["yard gate", GATE]]);
  const changed: string[] = [];
  const active = {
    id: "p1",
    video_reference: "yard",
    spec: countSpec({ ...COUNTED, classes: ["person"] }, GATE),
    counted: { ...COUNTED, place: "gate" },
  };
  const other = { ...active, id: "p2", counted: undefined };
  const pipelines = {
    actives: () => [active, other] as unknown as readonly ActivePipeline[],
    async changeSpec(id: string, spec: ActivePipeline["spec"]) {
      changed.push(id);
      active.spec = spec;
    },
  };
  const follow = () =>
    followCountedPlaces({ pipelines, places: { find: (camera, name) => places.get(`${camera} ${name}`) } });
  return { places, changed, follow };
}
