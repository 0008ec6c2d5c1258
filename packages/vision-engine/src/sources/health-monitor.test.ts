import { describe, expect, it } from "vitest";
import type { Frame } from "../frames/frame.ts";
import { type CameraHealth, createHealthMonitor } from "./health-monitor.ts";
import { openSource } from "./open-source.ts";

const NOON = Date.UTC(2026, 4, 4, 12);

describe("createHealthMonitor", () => {
  it.each(["street", "warehouse"])("stays calm for two minutes of sim://%s", async (scene) => {
    expect(await statesOf(`sim://${scene}?start=0`, 120)).toEqual([]);
  });

  it.each(["street", "warehouse"])("notices that sim://%s is frozen, and goes on again", async (scene) => {
    expect(await statesOf(`sim://${scene}?start=40&freeze=25s@10s`, 40)).toEqual(["25 frozen", "35 ok"]);
  });

  it.each(["street", "warehouse"])("notices that sim://%s is dark, and light again", async (scene) => {
    expect(await statesOf(`sim://${scene}?start=40&dark=20s@10s`, 40)).toEqual(["18 dark", "30 ok"]);
  });

  it.each(["street", "warehouse"])("tells something over the lens of sim://%s from the dark", async (scene) => {
    expect(await statesOf(`sim://${scene}?start=40&cover=20s@10s`, 40)).toEqual(["18 covered", "30 ok"]);
  });

  it("calls it dark, not covered, when night falls until nothing can be seen", () => {
    const dusk = (second: number): Frame =>
      pictureOf((x, y) => scene(x, y) * Math.max(0.01, 1 - second / 60) + ((x * 7 + y * 13 + second * 3) % 3));
    expect(seen(90, dusk).filter((state) => !state.endsWith("moved"))).toEqual([expect.stringMatching(/ dark$/)]);
  });

  it.each(["street", "warehouse"])(
    "notices that sim://%s was turned, and takes the new view for usual later",
    async (scene) => {
      expect(await statesOf(`sim://${scene}?start=40&bump=20s`, 90)).toEqual(["30 moved", "80 ok"]);
    },
  );

  it("notices an outage, and its end", () => {
    const monitor = createHealthMonitor();
    const changes = [
      monitor.see(
        pictureOf((x) => x),
        0,
      ),
      monitor.see(undefined, 9000),
      monitor.see(undefined, 10_000),
      monitor.see(undefined, 12_000),
      monitor.see(
        pictureOf((x) => x + 3),
        12_500,
      ),
    ];
    expect(changes.map((change) => change?.state)).toEqual([undefined, undefined, "down", undefined, "ok"]);
    expect(changes[2]).toEqual({
      state: "down",
      previous: "ok",
      atMs: 10_000,
      message: "The camera sends no pictures.",
    });
  });

  it("is down when a camera never sent anything", () => {
    const monitor = createHealthMonitor();
    expect([monitor.see(undefined, 0), monitor.see(undefined, 10_000)?.state]).toEqual([undefined, "down"]);
  });

  it("sees no fault in a still scene with the noise of a real camera", () => {
    const states = seen(60, (second) => pictureOf((x, y) => scene(x, y) + ((x * 7 + y * 13 + second * 3) % 5)));
    expect(states).toEqual([]);
  });

  it("ignores light that is switched on, nor a street at night", () => {
    expect(seen(60, (second) => pictureOf((x, y) => scene(x, y) * (second < 20 ? 0.3 : 1) + (second % 3) * 2))).toEqual(
      [],
    );
    const night = (second: number): Frame => pictureOf((x, y) => (x % 80 < 25 && y > 70 ? 30 : 4 + (second % 3) * 2));
    expect(seen(60, night)).toEqual([]);
  });

  it("ignores a lorry that stands in front of the camera for some seconds", () => {
    const lorry = (second: number): boolean => second >= 20 && second < 28;
    const picture = (second: number): Frame =>
      pictureOf((x, y) => (lorry(second) && x > 20 ? 120 + (y % 9) * 4 : scene(x, y)) + (second % 3) * 2);
    expect(seen(60, picture)).toEqual([]);
  });

  it("calls a white lens covered too", () => {
    expect(seen(20, (second) => pictureOf((x, y) => (second < 5 ? scene(x, y) : 250)))).toEqual(["13 covered"]);
  });
});

/** Changes over so many seconds of a source, as "second state"; faults begin when it is opened. */
async function statesOf(address: string, seconds: number): Promise<string[]> {
  const clock = { now: () => NOON, sleep: async () => undefined };
  const options = { sourceId: "door", clock, pace: "as_fast_as_possible" } as const;
  const source = await openSource(`${address}&fps=1&width=320&height=180`, options);
  const frames: (second: number) => Promise<Frame | undefined> = () => source.next(new AbortController().signal);
  const monitor = createHealthMonitor();
  const changes: string[] = [];
  for (let second = 0; second < seconds; second++) {
    const change = monitor.see(await frames(second), second * 1000);
    if (change !== undefined) changes.push(`${second} ${change.state}`);
  }
  await source.close();
  return changes;
}

function seen(seconds: number, picture: (second: number) => Frame): string[] {
  const monitor = createHealthMonitor();
  const states: [number, CameraHealth | undefined][] = [];
  for (let second = 0; second < seconds; second++) {
    states.push([second, monitor.see(picture(second), second * 1000)?.state]);
  }
  return states.filter(([, state]) => state !== undefined).map(([second, state]) => `${second} ${state}`);
}

/** Boxes on a wall. */
function scene(x: number, y: number): number {
  return 40 + ((x >> 5) % 3) * 40 + ((y >> 4) % 3) * 30;
}

function pictureOf(grey: (x: number, y: number) => number): Frame {
  const [width, height] = [192, 108];
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let index = 0; index < width * height; index++) {
    rgba.fill(grey(index % width, Math.floor(index / width)), index * 4, index * 4 + 4);
  }
  const timestamp = new Date(NOON).toISOString();
  return { metadata: { source_id: "door", frame_number: 1, timestamp, width, height, fps: 1 }, rgba };
}
