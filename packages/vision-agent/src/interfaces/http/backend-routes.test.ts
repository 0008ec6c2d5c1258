import type { BlockSummary, ServerStatus } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import type { BlockCatalog } from "../../backends/block-catalog.ts";
import { fakeStatus, SPEC } from "../../testing/fake-app.ts";
import { type FakePartsOptions, fakeParts } from "../../testing/fake-http-parts.ts";
import { createHttpServer } from "./create-http-server.ts";
import type { HttpServer } from "./http-parts.ts";

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

describe("GET /api/backends", () => {
  it("tells what is configured, what runs where and how the servers are", async () => {
    const status: ServerStatus = {
      label: "main",
      url: "http://localhost:9001",
      reachable: true,
      version: "1.8.3",
      latency_ms: 4,
      pipelines: 1,
      note: null,
    };
    const running = [fakeStatus({ pipeline_id: "p1", backend: "http" }), fakeStatus({ pipeline_id: "p2" })];
    const { call } = await app({ running, over: { servers: async () => [status] } });
    expect((await call("GET", "/api/backends")).json()).toEqual({
      configured: "direct",
      backends: [
        { name: "direct", available: true, about: "Runs on this machine.", pipelines: ["p2"] },
        { name: "http", available: true, about: expect.stringContaining("servers"), pipelines: ["p1"] },
      ],
      servers: [status],
    });
  });

  it("says that no server answers", async () => {
    const { call } = await app();
    expect((await call("GET", "/api/backends")).json().backends[1]).toMatchObject({
      available: false,
      about: "No Inference server answers.",
    });
  });
});

describe("GET /api/blocks", () => {
  const blocks = [
    block("roboflow_core/line_counter@v2", "analytics", "Counts what crosses a line."),
    block("roboflow_core/dynamic_crop@v1", "transformation", "Cuts things out."),
  ];
  const list = async () => ({ backend: "direct", source: "this machine", blocks }) as const;

  it.each([
    ["", ["roboflow_core/line_counter@v2", "roboflow_core/dynamic_crop@v1"]],
    ["?family=analytics", ["roboflow_core/line_counter@v2"]],
    ["?q=CUTS%20crop", ["roboflow_core/dynamic_crop@v1"]],
    ["?q=cuts&family=analytics", []],
  ])("chooses with %j", async (query, types) => {
    const { call } = await app({ over: { blocks: { list } } });
    const { status, json } = await call("GET", `/api/blocks${query}`);
    expect(status).toBe(200);
    expect(json().blocks.map(({ type }: BlockSummary) => type)).toEqual(types);
    expect(json()).toMatchObject({ families: ["analytics", "transformation"], as_of: null, note: null });
  });

  it("asks the backend that is named, and refuses one that nobody knows", async () => {
    const { call } = await app();
    expect((await call("GET", "/api/blocks?backend=http")).json().backend).toBe("http");
    expect((await call("GET", "/api/blocks?backend=gpu")).status).toBe(400);
  });
});

describe("GET /api/blocks/{type}", () => {
  const line = { ...block("roboflow_core/line_counter@v2", "analytics", "Counts."), aliases: ["LineCounter"] };
  const list: BlockCatalog["list"] = async (backend) => ({ backend, source: "a fake", blocks: [line] });

  it.each(["roboflow_core/line_counter@v2", encodeURIComponent("roboflow_core/line_counter@v2"), "LineCounter"])(
    "finds %s",
    async (type) => {
      const { call } = await app({ over: { blocks: { list } } });
      const { status, json } = await call("GET", `/api/blocks/${type}?backend=http`);
      expect([status, json()]).toEqual([200, { ...line, backend: "http", source: "a fake" }]);
    },
  );

  it("says where the types are listed when there is none of that name", async () => {
    const { call } = await app({ over: { blocks: { list } } });
    const { status, json } = await call("GET", "/api/blocks/roboflow_core/nothing@v1");
    expect([status, json().error]).toEqual([
      404,
      {
        code: "not_found",
        message: "There is no block type roboflow_core/nothing@v1.",
        hint: "GET /api/blocks lists them.",
      },
    ]);
  });
});

describe("POST /api/pipelines", () => {
  it("passes the wanted backend on", async () => {
    const { call, parts } = await app();
    const body = { sources: ["street"], workflow: SPEC, backend: "http" };
    expect((await call("POST", "/api/pipelines", body)).json()).toMatchObject({ backend: "http" });
    expect(parts.pipelines.started[0]?.backend).toBe("http");
  });
});

function block(type: string, family: string, description: string): BlockSummary {
  return { type, aliases: [], name: type, family, description, runs: true, properties: [], outputs: [] };
}

async function app(options: FakePartsOptions = {}) {
  const parts = fakeParts(options);
  const server = await createHttpServer(parts);
  servers.push(server);
  const call = async (method: "GET" | "POST", url: string, body?: object) => {
    const headers = { host: "127.0.0.1:4750" };
    const response = await server.inject({ method, url, headers, ...(body && { payload: body }) });
    return { status: response.statusCode, headers: response.headers, json: () => response.json() };
  };
  return { parts, server, call };
}
