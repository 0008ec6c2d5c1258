import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createMemoryFiles } from "../testing/memory-files.ts";
import type { FilePort } from "./file-port.ts";
import { nodeFiles } from "./node-files.ts";
import { openWorkspace, type Workspace } from "./open-workspace.ts";
import { nodeProcesses, type ProcessTable } from "./process-table.ts";

const SKILLS = { "skills/dock/SKILL.md": "how" };
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describe("the first opening of a workspace", () => {
  it("S000-4.1.2 makes the folders and the files with something useful in them", async () => {
    const folder = join(await temporaryFolder(), "deep", "workspace");
    const workspace = await open({ folder, files: nodeFiles });
    expect((await readdir(folder)).sort()).toEqual(
      [".index", ".lock", "AGENTS.md", "CAMERAS.md", "HEARTBEAT.md", "PLACES.md", "USER.md"].concat([
        "artifacts",
        "config.yaml",
        "events",
        "memory",
        "sessions",
        "skills",
        "trace",
      ]),
    );
    expect(await readFile(workspace.path("memory", "KNOWLEDGE.md"), "utf8")).toContain("# Knowledge");
    expect(await readFile(workspace.path("skills", "dock", "SKILL.md"), "utf8")).toBe("how");
    expect(workspace.created).toContain("CAMERAS.md");
    expect(await readFile(workspace.path("config.yaml"), "utf8")).toBe("# config\n");
    await workspace.close();
  });

  it("never writes over what a person wrote", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "CAMERAS.md"), "mine");
    const workspace = await open({ folder, files: nodeFiles });
    expect(await readFile(workspace.path("CAMERAS.md"), "utf8")).toBe("mine");
    expect(workspace.created).not.toContain("CAMERAS.md");
    await workspace.close();
  });
});

describe("a later opening of a workspace", () => {
  it("leaves removed skills away and makes other missing files again", async () => {
    const folder = await temporaryFolder();
    await (await open({ folder, files: nodeFiles })).close();
    await rm(join(folder, "skills", "dock"), { recursive: true });
    await rm(join(folder, "HEARTBEAT.md"));
    const workspace = await open({ folder, files: nodeFiles });
    expect(workspace.created).toEqual(["HEARTBEAT.md"]);
    await workspace.close();
  });

  it("writes no config.yaml where the settings are kept elsewhere", async () => {
    const files = createMemoryFiles();
    const processes = table({ 1: "me" });
    const workspace = await openWorkspace({ folder: "/workspace", files, pid: 1, processes });
    expect(workspace.created).not.toContain("config.yaml");
  });
});

describe("the lock of a workspace", () => {
  it("keeps a second opening out and says which process holds it and what to do", async () => {
    const files = createMemoryFiles();
    await open({ files, pid: 11, processes: table({ 11: "a", 12: "b" }) });
    await expect(open({ files, pid: 12, processes: table({ 11: "a", 12: "b" }) })).rejects.toMatchObject({
      kind: "in_use",
      message: "The workspace is in use by the process with id 11 (/workspace/.lock).",
      hint: "Stop process 11 first, or name another workspace with --workspace DIR.",
    });
  });

  it("is taken over from a process that is gone", async () => {
    const files = createMemoryFiles();
    await open({ files, pid: 11, processes: table({ 11: "a" }) });
    await open({ files, pid: 12, processes: table({ 12: "b" }) });
    expect(files.contents.get("/workspace/.lock")).toContain('"pid":12');
  });

  it("is taken over when the id now belongs to another life", async () => {
    const files = createMemoryFiles();
    await open({ files, pid: 11, processes: table({ 11: "before the restart" }) });
    await open({ files, pid: 12, processes: table({ 11: "after the restart", 12: "b" }) });
    expect(files.contents.get("/workspace/.lock")).toContain('"pid":12');
  });

  it("is taken over when nobody can read who holds it", async () => {
    const files = createMemoryFiles({ "/workspace/.lock": "???" });
    await open({ files });
    expect([...files.contents.keys()].filter((path) => path.includes(".lock"))).toEqual(["/workspace/.lock"]);
  });

  it("goes to exactly one of many that take over at once", async () => {
    const files = createMemoryFiles({ "/workspace/.lock": JSON.stringify({ pid: 5, stamp: "dead" }) });
    const pids = [11, 12, 13, 14];
    const processes = table(Object.fromEntries(pids.map((pid) => [pid, `s${pid}`])));
    const tries = await Promise.allSettled(pids.map((pid) => open({ files, pid, processes })));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("is released by close, twice, and never when it is somebody else's", async () => {
    const files = createMemoryFiles();
    const first = await open({ files, pid: 11, processes: table({ 11: "a" }) });
    const second = await open({ files, pid: 12, processes: table({ 12: "b" }) });
    await first.close();
    expect(files.contents.get("/workspace/.lock")).toContain('"pid":12');
    await second.close();
    await second.close();
    expect(files.contents.has("/workspace/.lock")).toBe(false);
  });

  it("outlives its owner's kill only until the next opening", async () => {
    const folder = await temporaryFolder();
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    const pid = child.pid ?? 0;
    await open({ folder, files: nodeFiles, pid, processes: nodeProcesses });
    const mine = { folder, files: nodeFiles, pid: process.pid, processes: nodeProcesses };
    await expect(open(mine)).rejects.toMatchObject({ kind: "in_use" });
    child.kill("SIGKILL");
    await once(child, "exit");
    const workspace = await open(mine);
    await workspace.close();
  });
});

describe("a workspace that cannot be opened", () => {
  it.each([
    ["ENOSPC", "no_space", "Free some space, or name another one with --workspace DIR."],
    ["EROFS", "read_only", "Make the folder writable for this user, or name another one with --workspace DIR."],
    ["EACCES", "read_only", "Make the folder writable for this user, or name another one with --workspace DIR."],
    ["EIO", "io", "Check the disk, or name another one with --workspace DIR."],
  ])("says %s as %s with what to do", async (code, kind, hint) => {
    const files = createMemoryFiles();
    files.fault = { code };
    await expect(open({ files })).rejects.toMatchObject({ name: "WorkspaceError", kind, hint });
  });

  it.skipIf(process.platform !== "linux")("says so at once where no folder can be made", async () => {
    await expect(open({ folder: "/proc/x/y", files: nodeFiles })).rejects.toMatchObject({
      kind: "read_only",
      message: "The workspace /proc/x/y cannot be written.",
    });
  });

  it("lets go of the lock when a first file cannot be written", async () => {
    const files = createMemoryFiles();
    files.fault = { code: "ENOSPC", on: /CAMERAS/ };
    await expect(open({ files })).rejects.toMatchObject({ kind: "no_space" });
    expect(files.contents.has("/workspace/.lock")).toBe(false);
  });

  it.each(["file", "file/inside"])("says when a file is in the way: %s", async (name) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "file"), "");
    const failure = open({ folder: join(folder, name), files: nodeFiles });
    await expect(failure).rejects.toMatchObject({ kind: "not_a_folder" });
  });
});

function open(options: {
  readonly files: FilePort;
  readonly folder?: string;
  readonly pid?: number;
  readonly processes?: ProcessTable;
}): Promise<Workspace> {
  const { files, folder = "/workspace", pid = 1, processes = table({ 1: "me" }) } = options;
  return openWorkspace({ folder, files, pid, processes, configText: "# config\n", skills: SKILLS });
}

function table(stamps: Readonly<Record<number, string>>): ProcessTable {
  return { stampOf: (pid) => stamps[pid] };
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "workspace-"));
  folders.push(folder);
  return folder;
}
