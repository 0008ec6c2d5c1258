import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

it("answers to its end and leaves in order when the reader of a pipe has left", async () => {
  const workspace = await mkdtemp(join(tmpdir(), "vision-agent-pipe-"));
  try {
    const child = spawn(process.execPath, [MAIN, "ask", "help", "--no-demo", "--workspace", workspace], { env: {} });
    child.stdout.destroy();
    let errors = "";
    child.stderr.on("data", (piece: Buffer) => {
      errors += piece.toString();
    });
    const exitCode = await new Promise((done) => child.once("close", done));
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: "" });
    expect(await readdir(workspace)).not.toContain(".lock");
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
});
