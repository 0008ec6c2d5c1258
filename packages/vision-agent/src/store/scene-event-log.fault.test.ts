import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { randomIds, systemClock } from "@vision-agent/agent-core";
import { afterAll, expect, it } from "vitest";
import { nodeFiles } from "../workspace/node-files.ts";
import { openSceneEventLog } from "./open-scene-event-log.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const writer = `
import { randomIds, systemClock } from "@vision-agent/agent-core";
import { openSceneEventLog } from ${JSON.stringify(new URL("./open-scene-event-log.ts", import.meta.url).href)};
import { nodeFiles } from ${JSON.stringify(new URL("../workspace/node-files.ts", import.meta.url).href)};
const [folder] = process.argv.slice(-1);
const pictures = { list: async () => [] };
const log = await openSceneEventLog({
  files: nodeFiles, folder, indexPath: folder + "/events.sqlite", timeZone: "UTC", pictures, alertPictures: () => new Set(),
  keepDays: 14, maxBytes: 1e9, clock: systemClock, ids: randomIds, onProblem: (message) => { throw new Error(message); },
});
process.stdout.write("open\\n");
for (let n = 0; ; n += 1) {
  const timestamp = new Date().toISOString();
  const kind = n % 2 === 0 ? "appeared" : "left";
  const event = { kind, timestamp, camera: "street", pipeline_id: "p", frame_number: n, visit_id: "v" + process.pid + (n >> 1), text: "It happened." };
  log.add(event, Promise.resolve(undefined));
  if (n % 7 === 0) await log.settled();
}
`;

it("VA-19 after kills the index has exactly what is in the files, with the same visits", async () => {
  const folder = await mkdtemp(join(tmpdir(), "kill-"));
  folders.push(folder);
  for (let round = 0; round < 5; round += 1) {
    await writeUntilKilled(folder, 20 + round * 23);
    const log = await openSceneEventLog({
      ...{ files: nodeFiles, folder, indexPath: join(folder, "events.sqlite"), timeZone: "UTC" },
      ...{ keepDays: 14, maxBytes: 1e9, clock: systemClock, ids: randomIds, alertPictures: () => new Set<string>() },
      pictures: { list: async () => [], put: noPictures, ref: noPictures, remove: noPictures },
      onProblem: (message) => expect.fail(message),
    });
    await log.settled();
    const lines = await linesIn(folder);
    expect(lines.length).toBeGreaterThan(0);
    expect(log.count({}).total).toBe(lines.length);
    const visits = new Set(lines.map(({ visit_id }) => visit_id));
    expect(log.count({}, ["visit"]).groups.length + log.count({}, ["visit"]).groups_left_out).toBe(visits.size);
    await log.close();
  }
});

function noPictures(): Promise<never> {
  return Promise.reject(new Error("there are no pictures here"));
}

async function linesIn(folder: string): Promise<readonly { readonly visit_id: string }[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.*\.jsonl$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.split("\n")).flatMap(parsed);
}

function parsed(line: string): readonly { readonly visit_id: string }[] {
  try {
    return line === "" ? [] : [JSON.parse(line)];
  } catch {
    // Torn by the kill.
    return [];
  }
}

async function writeUntilKilled(folder: string, ms: number): Promise<void> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", writer, folder], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: import.meta.dirname,
  });
  await once(child.stdout, "data");
  await sleep(ms + 300);
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
