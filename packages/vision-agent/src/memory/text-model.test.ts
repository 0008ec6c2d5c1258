import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { openTextModel } from "./text-model.ts";

describe("the text model", () => {
  it("is fetched when somebody searches, once, and tells why it cannot be had", async () => {
    const folder = await mkdtemp(join(tmpdir(), "text-model-"));
    const notices: string[] = [];
    let fetches = 0;
    const model = openTextModel({
      folder,
      fetchTarball: async () => {
        fetches += 1;
        throw new Error("There is no network.");
      },
      onNotice: (message) => notices.push(message),
    });
    expect(fetches).toBe(0);
    model.want();
    model.want();
    await expect(model.embedder).rejects.toThrow();
    await vi.waitFor(() => expect(notices).toHaveLength(1));
    expect(fetches).toBe(1);
    expect(notices[0]).toContain("by words alone");
    await model.close();
    await model.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("can be closed before anybody asked", async () => {
    const model = openTextModel({
      folder: "/nowhere/at/all",
      fetchTarball: async () => Promise.reject(new Error("Nobody asked.")),
      onNotice: () => undefined,
    });
    await model.close();
    await expect(model.embedder).rejects.toThrow();
  });
});
