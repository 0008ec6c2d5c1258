import { createFakeClock } from "@vision-agent/agent-core/testing";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { parseCameras } from "./camera-registry.ts";
import {
  type CameraEntry,
  type CameraStore,
  CameraStoreError,
  createPassingCameras,
  openCameraStore,
} from "./camera-store.ts";

const usageLogs: CameraStore[] = [];
afterEach(async () => {
  for (const store of usageLogs.splice(0)) await store.close();
});

const HAND = `# My cameras  \r
\r
The gate is <b>loud</b>. | not a table\r
\r
| Notes | Owner |   URL   | Name |\r
|:--|---|---|--:|\r
| by the road | ann |  \`rtsp://u:pw@10.0.0.5/1\`  | Gate 1 |\r
|  | bob | sim://street | street|\r
\r
Call Bob before you change this.`;

describe("the cameras of CAMERAS.md", () => {
  it("S000-4.2.4 change in their own cells, and nothing else changes by a byte", async () => {
    const { store, text } = await open(HAND);
    await store.change("gate 1", { notes: "by the sea | north" });
    expect(text()).toBe(HAND.replace("by the road", "by the sea \\| north"));
    await store.change("Gate 1", { address: "rtsp://u:new@10.0.0.6/1" });
    expect(text()).toContain("|  `rtsp://u:new@10.0.0.6/1`  | Gate 1 |\r\n");
    await store.change("Gate 1", { notes: "by the road", address: "rtsp://u:pw@10.0.0.5/1" });
    expect(text()).toBe(HAND);
  });

  it("are added as a row of the table, with the line ends of the file", async () => {
    const { store, text } = await open(HAND);
    const camera = await store.add({ name: "dock", address: "rtsp://me:pass@10.0.0.9/s", notes: "a | b" });
    expect(camera).toMatchObject({ name: "dock", source: "rtsp://10.0.0.9/s" });
    expect(text()).toBe(
      HAND.replace("street|\r\n", "street|\r\n| a \\| b |  | rtsp://me:pass@10.0.0.9/s | dock |\r\n"),
    );
    expect(store.find("DOCK")?.notes).toBe("a | b");
  });

  it("are removed with their line alone", async () => {
    const { store, text } = await open(HAND);
    await store.remove("street");
    expect(text()).toBe(HAND.replace("|  | bob | sim://street | street|\r\n", ""));
    expect(store.list().map(({ name }) => name)).toEqual(["Gate 1"]);
  });

  it("get a table of their own where there is none", async () => {
    const { store, text } = await open("# Cameras\n\nNone yet.");
    await store.add({ name: "dock", address: "sim://warehouse", location: "Hall 2" });
    expect(text()).toMatch(/^# Cameras\n\nNone yet\.\n\n\| Name \| URL \| Location \| Notes \|\n/);
    expect(parseCameras(text()).cameras).toMatchObject([{ name: "dock", location: "Hall 2" }]);
  });

  it("keep their password when the address shown comes back", async () => {
    const { store, text } = await open(HAND);
    await store.change("Gate 1", { address: "rtsp://10.0.0.5/1", notes: "x" });
    expect(text()).toContain("rtsp://u:pw@10.0.0.5/1");
  });

  it("are refused with a reason that holds no password", async () => {
    const { store, text } = await open(HAND);
    const kinds: string[] = [];
    const refused = async (work: Promise<unknown>): Promise<void> => {
      const error: unknown = await work.catch((thrown: unknown) => thrown);
      if (!(error instanceof CameraStoreError)) throw new Error("It was not refused.");
      kinds.push(error.kind);
      expect(error.message).not.toContain("hidden");
    };
    await refused(store.add({ name: "Street", address: "rtsp://u:hidden@x" }));
    await refused(store.add({ name: "a/b", address: "rtsp://u:hidden@x" }));
    await refused(store.add({ name: "b", address: "rtsp://u:hidden@x\n| c | d |" }));
    await refused(store.add({ name: "b", address: "rtsp://u:hidden@x", location: "Hall" }));
    await refused(store.change("street", { name: "Gate 1" }));
    await refused(store.change("nobody", { notes: "x" }));
    await refused(store.remove("nobody"));
    expect(kinds).toEqual(["taken", "invalid", "invalid", "invalid", "taken", "not_found", "not_found"]);
    expect(text()).toBe(HAND);
  });

  it("are read again when a person changes them by hand, and edits fall upon the newest text", async () => {
    const { store, text, write, clock, notices } = await open(HAND);
    write(HAND.replace("street|", "street|\r\n| | | sim://street | yard |\r\n| | | sim://street | bad/name |"));
    await clock.advance(1000);
    expect(store.list().map(({ name }) => name)).toEqual(["Gate 1", "street", "yard"]);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/^CAMERAS\.md line 10: "bad\/name" cannot be/);
    write(text().replace("Call Bob", "Call Ann"));
    await store.remove("yard");
    expect(text()).toContain("Call Ann");
    expect(notices).toHaveLength(1);
  });

  it("take many edits at once, one after the other", async () => {
    const { store, text } = await open("");
    const names = Array.from({ length: 20 }, (_, number) => `cam${number}`);
    await Promise.all(names.map((name) => store.add({ name, address: `sim://street?seed=${name}` })));
    await Promise.all(names.slice(1).map((name) => store.remove(name)));
    expect(parseCameras(text()).cameras.map(({ name }) => name)).toEqual(["cam0"]);
  });

  it("of the command line can be edited for as long as the app runs", async () => {
    const store = createPassingCameras([{ name: "a", address: "sim://street" }]);
    await store.add({ name: "b", address: "sim://warehouse" });
    expect(store.list().map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("come back to the same bytes when what was added is removed, whatever else stands there", async () => {
    const line = fc.constantFrom(
      "",
      "text",
      "# title",
      "| x | y |",
      "- | a |",
      "| Name | URL |",
      "|---|---|",
      "| a | sim://a |",
      "  ",
    );
    const markdown = fc
      .array(line, { maxLength: 12 })
      .chain((lines) => fc.constantFrom("\n", "\r\n").map((end) => lines.map((one) => `${one}${end}`).join("")));
    await fc.assert(
      fc.asyncProperty(markdown, async (before) => {
        const { store, text } = await open(before);
        const entry: CameraEntry = { name: "zz", address: "rtsp://h/1" };
        await store.add(entry);
        expect(store.find("zz")?.address).toBe("rtsp://h/1");
        const kept = text()
          .split("\n")
          .filter((one) => !/zz|^\|[ -|]*\r?$/.test(one) && one.trim() !== "");
        await store.change("zz", { address: "rtsp://h/2" });
        expect(store.find("zz")?.address).toBe("rtsp://h/2");
        await store.remove("zz");
        for (const one of kept) expect(text()).toContain(one);
        if (parseCameras(before).cameras.length > 0) expect(text()).toBe(before);
      }),
      { numRuns: 100 },
    );
  });
});

async function open(initial: string) {
  let text = initial;
  const clock = createFakeClock();
  const notices: string[] = [];
  const store = await openCameraStore({
    text: {
      read: async () => text,
      write: async (next) => {
        text = next;
      },
    },
    clock,
    onNotice: (message) => notices.push(message),
  });
  usageLogs.push(store);
  const write = (next: string): void => {
    text = next;
  };
  return { store, text: () => text, write, clock, notices };
}
