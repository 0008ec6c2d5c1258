import { describe, expect, it } from "vitest";
import { clientOf, hurriedClock, startLoopback } from "../testing/loopback.ts";

const info = (version: string, uuid = "a") => ({ json: { name: "Roboflow Inference Server", version, uuid } });
const paths = (...names: string[]) => ({
  json: { openapi: "3.1", paths: Object.fromEntries(names.map((name) => [name, {}])) },
});

describe("capabilities", () => {
  it("S000-2.2.9 says which families a server has, and asks for them once", async () => {
    const server = await startLoopback(
      info("1.8.3"),
      paths("/info", "/inference_pipelines/initialise", "/clip/embed_image"),
      info("1.8.3"),
    );
    const client = clientOf(server.url);
    const found = await client.capabilities();
    expect([...found.families].toSorted()).toEqual(["clip", "pipelines"]);
    expect(found.version).toBe("1.8.3");
    expect(await client.capabilities()).toBe(found);
    expect(server.received.map(({ path }) => path)).toEqual(["/info", "/openapi.json", "/info"]);
  });

  it("are read anew when the server was replaced by another version", async () => {
    const server = await startLoopback(
      info("1.8.3"),
      paths("/workflows/describe_workload"),
      info("1.5.0", "b"),
      paths("/info"),
    );
    const client = clientOf(server.url);
    expect((await client.capabilities()).families.has("workload")).toBe(true);
    expect(await client.capabilities()).toMatchObject({ version: "1.5.0", families: new Set() });
  });

  it("never keeps a failure", async () => {
    const server = await startLoopback(
      info("1.8.3"),
      { status: 500, json: {} },
      info("1.8.3"),
      paths("/clip/embed_image"),
    );
    const client = clientOf(server.url);
    await expect(client.capabilities()).rejects.toMatchObject({ kind: "server" });
    expect((await client.capabilities()).families).toEqual(new Set(["clip"]));
  });
});

describe("a path that the server takes for a model", () => {
  const taken = { status: 503, json: { message: "Could not connect to Roboflow API." } };

  it("is called unsupported, with version and path", async () => {
    const server = await startLoopback(taken, info("1.8.3"), paths("/info"));
    await expect(clientOf(server.url).foundation.clip.embedTexts({ texts: ["a"] })).rejects.toMatchObject({
      kind: "unsupported",
      message: "This server (1.8.3) has no /clip/embed_text: it was built or started without it.",
    });
  });

  it("keeps its own error where the server has it, or does not say what it has", async () => {
    const has = await startLoopback(taken, info("1.8.3"), paths("/clip/embed_text"));
    await expect(clientOf(has.url).foundation.clip.embedTexts({ texts: ["a"] })).rejects.toMatchObject({
      kind: "server",
    });
    const silent = await startLoopback(taken);
    await expect(clientOf(silent.url).foundation.clip.embedTexts({ texts: ["a"] })).rejects.toMatchObject({
      kind: "server",
    });
  });

  it("is not asked about when the error shows that the call is there", async () => {
    const known = { status: 404, json: { message: "unknown id", error_type: "ProcessesManagerNotFoundError" } };
    const server = await startLoopback(known);
    await expect(clientOf(server.url).pipelines.status("x")).rejects.toMatchObject({ kind: "not_found" });
    expect(server.received).toHaveLength(1);
  });

  it("is asked about within the time limit of the call", async () => {
    const server = await startLoopback(taken, () => undefined);
    const startedAt = performance.now();
    const failed = clientOf(server.url).foundation.clip.embedTexts({ texts: ["a"] }, { timeoutMs: 150 });
    await expect(failed).rejects.toMatchObject({ kind: "server" });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it("is not asked about when the server cannot be reached", async () => {
    const server = await startLoopback((response) => response.destroy());
    const failed = clientOf(server.url, { clock: hurriedClock() }).pipelines.list();
    await expect(failed).rejects.toMatchObject({ kind: "network" });
    expect(server.received.every(({ path }) => path === "/inference_pipelines/list")).toBe(true);
  });
});

describe("health", () => {
  it("is an answer even where the server says 503", async () => {
    const server = await startLoopback(
      { json: { status: "healthy" } },
      { status: 503, json: { status: "unhealthy", reason: "cuda_error" } },
    );
    const client = clientOf(server.url);
    expect(await client.health()).toEqual({ healthy: true });
    expect(await client.health()).toEqual({ healthy: false, reason: "cuda_error" });
  });
});
