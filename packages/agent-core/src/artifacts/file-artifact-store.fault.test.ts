import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { createFileArtifactStore } from "./file-artifact-store.ts";

const STORE = new URL("./file-artifact-store.ts", import.meta.url).href;
/** Puts and pins without end, and says each id once it is pinned. */
const WRITER = `
  import { createFileArtifactStore } from ${JSON.stringify(STORE)};
  const store = createFileArtifactStore({ folder: process.argv[1] });
  for (let at = 0; ; at++) {
    const { id } = await store.put(Buffer.from("text " + at), { mimeType: "text/plain", namespace: "n" });
    await store.pin(id, "run");
    console.log(id);
  }`;

describe("createFileArtifactStore", () => {
  it("survives kill -9: what was told to be pinned is there, whole and pinned", async () => {
    const folder = await mkdtemp(join(tmpdir(), "agent-core-kill-"));
    try {
      const told: string[] = [];
      for (const lines of [3, 11, 20]) told.push(...(await writeUntil(folder, lines)));
      expect(new Set(told).size).toBeGreaterThanOrEqual(20);
      const store = createFileArtifactStore({ folder });
      const refs = await store.list();
      expect(refs.map(({ id }) => id)).toEqual(expect.arrayContaining(told));
      for (const { id, sha256 } of refs) expect(sha256Of(await store.get(id))).toBe(sha256);
      await store.sweep({ maxBytes: 0 }, Date.now() + 1e9);
      const left = new Set((await store.list()).map(({ id }) => id));
      expect(told.filter((id) => !left.has(id))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function writeUntil(folder: string, lines: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", WRITER, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((done) => child.on("exit", done));
  const told: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(line);
    if (told.length === lines) child.kill("SIGKILL");
  }
  await ended;
  return told;
}

function sha256Of(bytes: Uint8Array | undefined): string {
  return createHash("sha256")
    .update(bytes ?? "")
    .digest("hex");
}
