import { describe, expect, it } from "vitest";
import type { FileEntry } from "../workspace/file-port.ts";
import { createRecordings, type RecordingOptions } from "./recordings.ts";

const NOW_MS = 1_800_000_000_000;
const second = (ago: number): number => NOW_MS / 1000 - ago;

describe("recordings", () => {
  it("gives the pieces of a period by camera, in order, but neither empty ones nor the one being written", async () => {
    const { recordings } = setup({ gate: { 40: 5, 30: 5, 20: 0, 5: 5 }, yard: { 30: 5 } });
    const of = { camera: "GATE", fromMs: NOW_MS - 35_000, toMs: NOW_MS };
    expect((await recordings.piecesIn(of)).map(({ path }) => path)).toEqual([
      `/w/recordings/gate/${second(40)}.mkv`,
      `/w/recordings/gate/${second(30)}.mkv`,
    ]);
  });

  it("removes what is too old, then the oldest of all cameras while there is too much, also of before a restart", async () => {
    const { recordings, left } = setup({ gate: { 7300: 1, 40: 60, 20: 30 }, yard: { 30: 30, 10: 30 } });
    await recordings.prune();
    expect(left()).toEqual([`gate/${second(20)}`, `yard/${second(30)}`, `yard/${second(10)}`]);
  });

  it("forgets the pieces that show anything of a camera in a time, and only counts them in a preview", async () => {
    const { recordings, left } = setup({ gate: { 40: 1, 30: 1, 20: 1 }, yard: { 30: 1 } });
    const target = {
      camera: "gate",
      fromMs: NOW_MS - 35_000,
      toMs: NOW_MS - 25_000,
      events: new Set(""),
      pictures: new Set(""),
    };
    expect(await recordings.forget(target, { preview: true })).toMatchObject({ count: 2 });
    expect(left()).toHaveLength(4);
    expect(await recordings.forget(target, { preview: false })).toMatchObject({ count: 2 });
    expect(left()).toEqual([`gate/${second(20)}`, `yard/${second(30)}`]);
    const event = { ...target, camera: undefined, fromMs: NOW_MS - 28_000, toMs: NOW_MS - 28_000 };
    expect(await recordings.forget(event as never, { preview: false })).toMatchObject({ count: 1 });
  });

  it("keeps names of cameras inside its folder, and tells of a disk that refuses instead of failing", async () => {
    const { recordings, problems } = setup({}, { folders: () => Promise.reject(new Error("The disk is gone.")) });
    expect(recordings.folderOf("../Front door")).toBe("/w/recordings/%2E%2E%2Ffront%20door");
    await recordings.prune();
    expect(problems).toEqual(["Old recordings could not be removed: The disk is gone."]);
  });
});

/** Bytes of pieces by camera and by how many seconds ago each began; 100 bytes and two hours are kept. */
function setup(
  pieces: Readonly<Record<string, Readonly<Record<number, number>>>>,
  over: Partial<RecordingOptions["files"]> = {},
) {
  const problems: string[] = [];
  const disk = new Map(
    Object.entries(pieces).map(([camera, begun]) => [
      `/w/recordings/${camera}`,
      Object.entries(begun).map(([ago, bytes]): FileEntry => ({ name: `${second(Number(ago))}.mkv`, bytes })),
    ]),
  );
  const recordings = createRecordings({
    files: {
      folders: async () => Object.keys(pieces),
      list: async (folder) => disk.get(folder) ?? [],
      async remove(path) {
        for (const [folder, entries] of disk)
          disk.set(
            folder,
            entries.filter(({ name }) => `${folder}/${name}` !== path),
          );
        return true;
      },
      makeFolder: async () => undefined,
      ...over,
    },
    folder: "/w/recordings",
    keepHours: 2,
    maxBytes: 100,
    clock: { now: () => NOW_MS },
    onProblem: (message) => problems.push(message),
  });
  const left = (): readonly string[] =>
    [...disk].flatMap(([folder, entries]) =>
      entries.map(({ name }) => `${folder.split("/").at(-1)}/${name.replace(".mkv", "")}`).sort(),
    );
  return { recordings, left, problems };
}
