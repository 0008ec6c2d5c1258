import { describe, expect, it } from "vitest";
import { EngineError } from "../../errors.ts";
import { parseSimAddress } from "./sim-address.ts";

describe("parseSimAddress", () => {
  it("has sensible defaults", () => {
    expect(parseSimAddress("sim://street")).toMatchObject({
      label: "sim://street",
      width: 960,
      height: 540,
      fps: 10,
      seed: 1,
      faults: { everyMs: 0 },
    });
    expect(parseSimAddress("sim://street").start).toBeUndefined();
  });

  it("reads every option", () => {
    const address =
      "sim://warehouse?width=320&height=180&fps=5&seed=7&start=0&outage=10s@30s&freeze=1m&dark=500ms@2s&cover=3s@4s&bump=9s&every=2m";
    expect(parseSimAddress(address)).toMatchObject({
      label: address,
      scene: { name: "warehouse" },
      width: 320,
      height: 180,
      fps: 5,
      seed: 7,
      start: 0,
      faults: {
        outage: { beginMs: 30_000, durationMs: 10_000 },
        freeze: { beginMs: 0, durationMs: 60_000 },
        dark: { beginMs: 2_000, durationMs: 500 },
        cover: { beginMs: 4_000, durationMs: 3_000 },
        bumpMs: 9_000,
        everyMs: 120_000,
      },
    });
  });

  it.each([
    ["sim://mars", "unknown_scene", 'There is no scene "mars". The scenes are street and warehouse.'],
    ["sim://constructor", "unknown_scene", 'There is no scene "constructor". The scenes are street and warehouse.'],
    ["sim://", "unknown_scene", "The address names no scene. The scenes are street and warehouse."],
    [
      "sim://stret",
      "unknown_scene",
      'There is no scene "stret". Did you mean "street"? The scenes are street and warehouse.',
    ],
    [
      "sim://street?widht=3",
      "bad_option",
      'sim://street has no option "widht". Did you mean "width"? The options are width, height, fps, seed, start, outage, freeze, dark, cover, bump, every.',
    ],
    ["sim://street?fps=99", "bad_option", 'The option fps of sim://street must be a number from 0.1 to 30, not "99".'],
    [
      "sim://street?width=",
      "bad_option",
      'The option width of sim://street must be a whole number from 64 to 3840, not "".',
    ],
    [
      "sim://street?outage=soon",
      "bad_option",
      'The option outage of sim://street must be a duration and a beginning such as 10s@30s, not "soon".',
    ],
  ])("refuses %s and says what is known", (address, reason, message) => {
    const error = caught(() => parseSimAddress(address));
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({ kind: "source", reason, message });
  });
});

function caught(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
