import { describe, expect, it } from "vitest";
import { DestinationError, openDestinationStore } from "./destination-store.ts";

describe("destinations that a person approved", () => {
  const hook = { kind: "sends", target: "webhook_sink https://a.example" } as const;

  it("are known after a restart until they are forgotten", async () => {
    const disk = fakeDisk();
    const first = await disk.open();
    await first.remember([hook, hook]);
    expect(first.isKnown({ ...hook, fingerprint: "another account" })).toBe(false);
    const second = await disk.open();
    expect(second.list()).toMatchObject([{ ...hook, approved_at: "2026-01-01T00:00:00.000Z" }]);
    expect([second.isKnown(hook), second.isKnown({ ...hook, kind: "address" })]).toEqual([true, false]);
    await second.forget(second.list()[0]!.id);
    expect((await disk.open()).list()).toEqual([]);
    await expect(second.forget("nothing")).rejects.toThrow(DestinationError);
  });

  it("are none when their file is damaged or cannot be written", async () => {
    const damaged = fakeDisk("{ not json");
    expect((await damaged.open()).isKnown(hook)).toBe(false);
    expect(damaged.notices).toHaveLength(1);
    const full = fakeDisk();
    full.isFull = true;
    const store = await full.open();
    await expect(store.remember([hook])).rejects.toThrow("full");
    expect(store.isKnown(hook)).toBe(false);
  });
});

function fakeDisk(text?: string) {
  const disk = {
    text,
    isFull: false,
    notices: [] as string[],
    open: () =>
      openDestinationStore({
        files: {
          readText: async () => disk.text,
          writeAtomic: async (_path, next) => {
            if (disk.isFull) throw new Error("The disk is full.");
            disk.text = next;
          },
        },
        path: "/destinations.json",
        now: () => Date.parse("2026-01-01T00:00:00.000Z"),
        onNotice: (message) => disk.notices.push(message),
      }),
  };
  return disk;
}
