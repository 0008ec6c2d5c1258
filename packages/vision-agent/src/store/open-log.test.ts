import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openLog } from "./open-log.ts";

it("writes one JSON object a line, readable by its owner alone, and nothing after close", () => {
  const path = logPath();
  const log = openLog(path);
  log.warn("The camera is down.", { camera: "street" });
  log.close();
  log.close();
  log.info("Too late.");
  const [line, ...rest] = readFileSync(path, "utf8").trim().split("\n");
  expect(JSON.parse(line ?? "")).toMatchObject({ level: 40, msg: "The camera is down.", camera: "street" });
  expect(rest).toEqual([]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("puts a file aside that has grown too large", () => {
  const path = logPath();
  openLog(path).close();
  writeFileSync(path, "x".repeat(5_000_001));
  const log = openLog(path);
  log.info("New.");
  log.close();
  expect(statSync(`${path}.old`).size).toBe(5_000_001);
  expect(readFileSync(path, "utf8")).toContain('"msg":"New."');
});

function logPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "vision-agent-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "logs", "vision-agent.log");
}
