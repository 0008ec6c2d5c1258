import { describe, expect, it } from "vitest";
import { type CameraRenames, openCameraRenames } from "./camera-names.ts";

const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

describe("the names of cameras", () => {
  it("lead from any name of a camera to the one that it has now", async () => {
    const { names, rename, at } = await open();
    await rename("yard", "garden");
    await rename("garden", "park");
    expect([names.nameOf("Yard", 0), names.nameOf("garden", at(1)), names.nameOf("dock", 0)]).toEqual([
      "park",
      "park",
      "dock",
    ]);
    expect(names.spansOf("park").map(({ name }) => name)).toEqual(["yard", "garden", "park"]);
    expect(names.spansOf("dock")).toEqual([{ name: "dock", ...ALWAYS }]);
  });

  it("are told apart where two cameras swap them", async () => {
    const { names, rename } = await open();
    await rename("a", "x");
    await rename("b", "a");
    await rename("x", "b");
    expect([names.nameOf("a", 0), names.nameOf("b", 0)]).toEqual(["b", "a"]);
    expect(names.spansOf("a").map(({ name }) => name)).toEqual(["b", "a"]);
    expect(names.spansOf("b").map(({ name }) => name)).toEqual(["a", "x", "b"]);
  });

  it("give a new camera under an old name nothing of the one before", async () => {
    const { names, rename, now } = await open();
    await rename("yard", "garden");
    expect([names.nameOf("yard", 0), names.nameOf("yard", now())]).toEqual(["garden", "yard"]);
    expect(names.spansOf("yard")).toMatchObject([{ name: "yard", toMs: Number.POSITIVE_INFINITY }]);
    expect(names.spansOf("yard")[0]?.fromMs).toBeGreaterThan(0);
  });

  it("are as before when a rename is undone", async () => {
    const { names, rename, at } = await open();
    await rename("yard", "garden");
    await rename("garden", "yard");
    expect([names.nameOf("yard", 0), names.nameOf("garden", at(1))]).toEqual(["yard", "yard"]);
    expect(names.spansOf("yard").map(({ name }) => name)).toEqual(["yard", "garden", "yard"]);
  });

  it("know of a rename that a crash cut off, after a restart", async () => {
    const first = await open();
    await first.names.begin("yard", "garden");
    const { names } = await open({ ...first.kept });
    expect([names.underWay(), names.nameOf("yard", 0)]).toMatchObject([{ from: "yard" }, "yard"]);
    await names.settle((name) => name === "garden");
    expect([names.underWay(), names.nameOf("yard", Date.now())]).toMatchObject([{ from: "yard" }, "garden"]);
    const { names: others } = await open(first.kept);
    await others.settle(() => false);
    expect([others.underWay(), others.nameOf("yard", 0)]).toEqual([undefined, "yard"]);
  });

  it("put a damaged file aside and say so", async () => {
    const { names, kept, notices } = await open({ "/names": "{" });
    expect(names.nameOf("yard", 0)).toBe("yard");
    expect(kept).toEqual({ "/names.broken": "{" });
    expect(notices).toHaveLength(1);
  });
});

async function open(kept: Record<string, string> = {}) {
  let nowMs = 1_000_000;
  const notices: string[] = [];
  const names: CameraRenames = await openCameraRenames({
    files: {
      readText: async (path) => kept[path],
      writeAtomic: async (path, text) => {
        kept[path] = text;
      },
      rename: async (from, to) => {
        kept[to] = kept[from] ?? "";
        return delete kept[from];
      },
    },
    path: "/names",
    now: () => {
      nowMs += 1000;
      return nowMs;
    },
    onNotice: (message) => notices.push(message),
  });
  return {
    names,
    kept,
    notices,
    now: () => nowMs + 1000,
    /** Between the first and the second rename, and so on. */
    at: (count: number) => 1_000_000 + 2000 * count + 500,
    rename: async (from: string, to: string) => {
      await names.begin(from, to);
      await names.settle((name) => name === to);
      await names.finish();
    },
  };
}
