import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { createSavedWorkflows } from "./saved-workflows.ts";

const SPEC = detectionWorkflow({ modelId: "acme/3" });
const ANSWER = JSON.stringify({ workflow: { config: JSON.stringify({ specification: SPEC }) } });
const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map(closeServer)));

describe("saved workflows", () => {
  it("come from Roboflow with the key, and are kept with their time but without it", async () => {
    const roboflow = await startRoboflow({ "/acme/workflows/count": [200, ANSWER] });
    const { saved, files } = create(roboflow.url);
    expect(await saved.load("acme", "count")).toEqual({ spec: SPEC, fetchedAt: "2026-01-01T00:00:00.000Z" });
    expect(roboflow.asked).toEqual(["/acme/workflows/count?api_key=rf-secret"]);
    const copy = files.contents.get("/w/workflows/acme/count.json") ?? "";
    expect(JSON.parse(copy)).toEqual({ fetched_at: "2026-01-01T00:00:00.000Z", specification: SPEC });
  });

  it("are given as they were last when Roboflow is not reached, and it is said", async () => {
    const roboflow = await startRoboflow({ "/acme/workflows/count": [200, ANSWER] });
    const { saved } = create(roboflow.url);
    await saved.load("acme", "count");
    await roboflow.close();
    const copy = await saved.load("acme", "count");
    expect(copy.spec).toEqual(SPEC);
    expect(copy.note).toBe(
      "The saved workflow acme/count is used as it was on 2026-01-01T00:00:00.000Z: it is not reached.",
    );
  });

  it.each<[number, string, string]>([
    [500, "oops", "it answered 500"],
    [200, "<html>", "its answer is no workflow"],
    [200, "", "its answer is no workflow"],
  ])("stand in for an answer of %i %j", async (status, body, reason) => {
    const pages: Record<string, readonly [number, string]> = { "/acme/workflows/count": [200, ANSWER] };
    const roboflow = await startRoboflow(pages);
    const { saved } = create(roboflow.url);
    await saved.load("acme", "count");
    pages["/acme/workflows/count"] = [status, body];
    expect((await saved.load("acme", "count")).note).toContain(reason);
    await expect(saved.load("acme", "other")).rejects.toMatchObject({ kind: "not_found" });
  });

  it("wait for Roboflow no longer than the limit, and stop waiting when told", async () => {
    const roboflow = await startRoboflow({ "/acme/workflows/slow": "never" });
    const { saved } = create(roboflow.url, { timeoutMs: 30 });
    await expect(saved.load("acme", "slow")).rejects.toMatchObject({
      kind: "unavailable",
      message: "The saved workflow acme/slow cannot be had from Roboflow: it took longer than 0.03 s.",
    });
    const patient = create(roboflow.url).saved.load("acme", "slow", AbortSignal.timeout(30));
    await expect(patient).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("say what to do without a key, with a refused key and with a wrong name, never with the key", async () => {
    const roboflow = await startRoboflow({ "/acme/workflows/count": [401, "rf-secret"] });
    const { saved } = create(roboflow.url);
    const refused = await saved.load("acme", "count").catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: "unavailable", message: expect.stringContaining("inference.api_key") });
    expect(String(refused) + JSON.stringify(refused)).not.toContain("rf-secret");
    await expect(saved.load("..", "count")).rejects.toMatchObject({ kind: "not_found" });
    const keyless = create(roboflow.url, { apiKey: undefined }).saved.load("acme", "count");
    await expect(keyless).rejects.toThrow("there is no key: set inference.api_key or ROBOFLOW_API_KEY");
    expect(roboflow.asked).toHaveLength(1);
  });

  it("are given although the copy cannot be written", async () => {
    const roboflow = await startRoboflow({ "/acme/workflows/count": [200, ANSWER] });
    const { saved, files, problems } = create(roboflow.url);
    files.fault = { code: "ENOSPC" };
    expect((await saved.load("acme", "count")).spec).toEqual(SPEC);
    expect(problems).toEqual([expect.stringContaining("no space left")]);
  });
});

function create(apiUrl: string, over: { readonly timeoutMs?: number; readonly apiKey?: string | undefined } = {}) {
  const files = createMemoryFiles();
  const problems: string[] = [];
  const apiKey = "apiKey" in over ? over.apiKey : "rf-secret";
  const saved = createSavedWorkflows({
    files,
    folder: "/w/workflows",
    apiUrl,
    apiKey,
    now: () => Date.UTC(2026, 0, 1),
    timeoutMs: over.timeoutMs ?? 5000,
    onProblem: (message) => problems.push(message),
  });
  return { saved, files, problems };
}

/** Answers by path; "never" leaves the request open. */
async function startRoboflow(pages: Readonly<Record<string, readonly [number, string] | "never">>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const page = pages[(request.url ?? "").split("?")[0] ?? ""] ?? [404, "{}"];
    if (page === "never") return;
    response.writeHead(page[0], { "content-type": "application/json" }).end(page[1]);
  });
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, close: () => closeServer(server) };
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((closed) => void server.close(() => closed()));
}
