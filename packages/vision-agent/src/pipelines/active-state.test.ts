import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { createActiveState } from "./active-state.ts";

const entrySchema = z.object({ id: z.string() });

describe("a section of the active state", () => {
  it("S000-3.4.5 stays beside the pipelines, whichever is saved last, and is read again after a restart", async () => {
    const files = createMemoryFiles();
    const open = () => createActiveState({ files, path: "/w/active_state.json", now: () => 0 });
    const before = open();
    await Promise.all([before.section("watches", entrySchema).save([{ id: "w1" }]), before.save([])]);
    const after = open();
    await after.save([]);
    expect(await after.section("watches", entrySchema).load()).toEqual([{ id: "w1" }]);
    expect((await after.load()).problem).toBeUndefined();
  });

  it("leaves out entries that cannot be read, and is empty in a broken file", async () => {
    const files = createMemoryFiles();
    const path = "/w/active_state.json";
    await files.writeAtomic(path, JSON.stringify({ version: 1, pipelines: [], watches: [{ id: 3 }, { id: "w2" }] }));
    const state = createActiveState({ files, path, now: () => 0 });
    expect(await state.section("watches", entrySchema).load()).toEqual([{ id: "w2" }]);
    await files.writeAtomic(path, "{ torn");
    const broken = createActiveState({ files, path, now: () => 0 });
    expect(await broken.section("watches", entrySchema).load()).toEqual([]);
  });
});
