import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { describeProcess, identifyProcess, isSameProcessAlive } from "./process-identity.mjs";

describe("process identity", () => {
  it("knows a living process again", () => {
    expect(isSameProcessAlive(identifyProcess(process.pid) ?? "")).toBe(true);
  });

  it("has no name for a dead process", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const identity = identifyProcess(child.pid ?? 0) ?? "";
    expect(isSameProcessAlive(identity)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isSameProcessAlive(identity)).toBe(false);
    expect(identifyProcess(child.pid ?? 0)).toBeUndefined();
  });

  it("knows the parent of a process", () => {
    const script = "process.stdout.write(String(process.ppid))";
    expect(Number(spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stdout)).toBe(process.pid);
    expect(describeProcess(process.pid)?.parent).toBe(process.ppid);
  });
});
