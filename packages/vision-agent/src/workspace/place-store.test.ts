import { createFakeClock } from "@vision-agent/agent-core/testing";
import type { CameraPlace } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { DEFAULT_FILES } from "./default-files.ts";
import { openPlaceStore } from "./place-store.ts";

const GATE: CameraPlace = {
  name: "gate",
  kind: "line",
  points: [
    [0.5, 0],
    [0.5, 1],
  ],
  directions: { in: "entering", out: "leaving" },
};

describe("the places of a camera", () => {
  it("ship the loading zone of the demo", async () => {
    const { store } = await setup(DEFAULT_FILES["PLACES.md"]);
    expect(store.find("Warehouse", "Loading Zone")).toMatchObject({ kind: "zone", points: { length: 4 } });
    expect(store.list("street")).toEqual([]);
  });

  it("are written, replaced and removed one by one, and everything else in the file stays", async () => {
    const app = await setup("# Mine\n\nSome words.\n");
    await app.store.set("street", GATE);
    expect(app.store.find("street", "GATE")).toEqual(GATE);
    expect(app.text).toContain("Some words.");
    await app.store.set("street", {
      name: "Gate",
      kind: "zone",
      points: [
        [0, 0],
        [1, 0],
        [1, 1],
      ],
    });
    expect(app.store.list("street")).toMatchObject([{ name: "gate", kind: "zone" }]);
    await app.store.remove("street", "gate");
    expect(app.store.list("street")).toEqual([]);
    await expect(app.store.remove("street", "gate")).rejects.toThrow("street has no place called gate. It has: none.");
    expect(app.text).toContain("Some words.");
  });

  it("keep their name when they are moved under another spelling of it", async () => {
    const app = await setup("");
    await app.store.set("street", { ...GATE, name: "Front gate" });
    expect(await app.store.set("street", { ...GATE, name: " FRONT  GATE" })).toMatchObject({ name: "Front gate" });
    expect(app.store.list("street")).toHaveLength(1);
  });

  it("are refused where nothing could cross them or be in them, and left out of the file", async () => {
    const app = await setup(
      "| Camera | Name | Kind | Points |\n|---|---|---|---|\n| street | a | line | 0.5,0.5 0.5,0.5 |\n| street | b | zone | 0,0 1,1 1,0 0,1 |\n",
    );
    expect(app.store.list("street")).toEqual([]);
    expect(app.notices[0]).toBe(
      "PLACES.md line 3: The line has no length: give two different points. This row is left out.",
    );
    const flat: CameraPlace = {
      name: "yard",
      kind: "zone",
      points: [
        [0, 0],
        [0.5, 0.5],
        [1, 1],
      ],
    };
    await expect(app.store.set("street", flat)).rejects.toThrow("The zone has no area");
    expect(app.text).not.toContain("yard");
  });

  it("follow their camera to a new name, and those of others stay", async () => {
    const app = await setup("# Mine\n\nSome words.\n");
    await app.store.set("street", GATE);
    await app.store.set("street", { ...GATE, name: "door" });
    await app.store.set("yard", GATE);
    await app.store.renameCamera("Street", "road");
    expect(app.store.list("street")).toEqual([]);
    expect(app.store.list("road")).toEqual([GATE, { ...GATE, name: "door" }]);
    expect(app.store.list("yard")).toEqual([GATE]);
    expect(app.text).toContain("Some words.");
  });

  it("are those of the file within a second of an edit by hand, and listeners hear of it", async () => {
    const app = await setup("");
    let heard = 0;
    app.store.onChange(() => {
      heard += 1;
    });
    app.text = "| Camera | Name | Kind | Points |\n|---|---|---|---|\n| street | yard | zone | 0,0 1,0 1,1 |\n";
    await app.clock.advance(1000);
    await app.store.refresh();
    expect(app.store.list("street")).toMatchObject([{ name: "yard" }]);
    expect(heard).toBe(1);
    await app.store.close();
    await app.store.close();
  });

  it("leave out rows that are none, and say how they are written, once", async () => {
    const app = await setup(
      "| Camera | Name | Kind | Points |\n|---|---|---|---|\n| street | a | circle | 0,0 1,0 1,1 |\n| street | b | zone | 0,0 5,0 1,1 |\n| street | c | line | 0,0 1,1 |\n| street | C | line | 0,0 1,0 |\n",
    );
    expect(app.store.list("street").map(({ name }) => name)).toEqual(["c"]);
    expect(app.notices).toHaveLength(3);
    expect(app.notices[0]).toContain("PLACES.md line 3: a place has a camera");
    expect(app.notices[2]).toContain("two places called C");
  });
});

async function setup(text = "") {
  const clock = createFakeClock();
  const notices: string[] = [];
  const app = { text, clock, notices };
  const store = await openPlaceStore({
    clock,
    onNotice: (message) => notices.push(message),
    text: {
      read: async () => app.text,
      write: async (next) => {
        app.text = next;
      },
    },
  });
  return Object.assign(app, { store });
}
