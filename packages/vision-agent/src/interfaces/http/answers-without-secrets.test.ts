import { createRedactor } from "@vision-agent/agent-core";
import { afterEach, describe, expect, it } from "vitest";
import { BackendError } from "../../backends/backend.ts";
import { fakeStatus, SPEC } from "../../testing/fake-app.ts";
import { type FakePartsOptions, fakeParts } from "../../testing/fake-http-parts.ts";
import { createMemoryFiles } from "../../testing/memory-files.ts";
import { openCredentialStore } from "../../workspace/credential-store.ts";
import { createHttpServer } from "./create-http-server.ts";
import type { HttpServer } from "./http-parts.ts";

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function app(options: FakePartsOptions = {}) {
  const parts = fakeParts(options);
  const server = await createHttpServer(parts);
  servers.push(server);
  const call = async (method: "GET" | "POST", url: string, body?: object) => {
    const headers = { host: "127.0.0.1:4750" };
    const response = await server.inject({ method, url, headers, ...(body && { payload: body }) });
    return { status: response.statusCode, text: response.body };
  };
  return { parts, call };
}

const INTERNAL = '{"error":{"code":"internal","message":"Something went wrong inside; the log says what."}}';

describe("an answer", () => {
  it("keeps its structure whatever the secrets are, and hides them in its texts", async () => {
    const words = ["status", "person", "pipeline_id", '"name"', '":"'];
    const running = [fakeStatus({ name: 'a person with "name":"' })];
    const plain = await app({ running });
    const hiding = await app({ running, over: { redact: createRedactor({ secrets: words }).display } });
    const [before] = JSON.parse((await plain.call("GET", "/api/pipelines")).text);
    const [shown] = JSON.parse((await hiding.call("GET", "/api/pipelines")).text);
    expect(Object.keys(shown)).toEqual(Object.keys(before));
    expect(shown.status).toBe(before.status);
    expect(shown.name).toBe('a <secret> with <secret>:"');
  });

  it("of an error has no secret either", async () => {
    const { call } = await app({ over: { redact: createRedactor({ secrets: ["planted-secret"] }).display } });
    const { status, text } = await call("GET", "/api/cameras/planted-secret");
    expect(status).toBe(404);
    expect(text).toContain("<secret>");
    expect(text).not.toContain("planted-secret");
  });

  it("has no secret when its route does not say what it answers, a reply that it sends itself and an error included", async () => {
    const server = await createHttpServer(
      fakeParts({ over: { redact: createRedactor({ secrets: ["planted-secret"] }).display } }),
    );
    servers.push(server);
    const told = { text: "It is planted-secret.", list: [{ text: "planted-secret" }] };
    server.get("/api/returned", async () => told);
    server.get("/api/sent", (_request, reply) => void reply.send(told));
    server.get("/api/status", (_request, reply) => void reply.code(418).send(told));
    server.get("/api/thrown", async () => {
      throw Object.assign(new Error("planted-secret"), { statusCode: 418 });
    });
    for (const url of ["/api/returned", "/api/sent", "/api/status", "/api/thrown"]) {
      const { body } = await server.inject({ url, headers: { host: "127.0.0.1:4750" } });
      expect(body).not.toContain("planted-secret");
      if (url !== "/api/thrown") expect(JSON.parse(body)).toMatchObject({ text: "It is <secret>." });
    }
  });

  it("is one that never changes when the secrets cannot be taken out", async () => {
    const redact = (): never => {
      throw new RangeError("planted-secret");
    };
    const faults: unknown[] = [];
    const { call } = await app({ over: { redact, onFault: (error) => faults.push(error) } });
    for (const place of ["/api/pipelines", "/api/cameras/nobody", "/api/%zz", "/healthz", "/api/openapi.json"]) {
      expect((await call("GET", place)).text).toBe(INTERNAL);
    }
    expect((await call("GET", "/api/pipelines")).status).toBe(500);
    expect(faults.length).toBeGreaterThan(0);
  });

  it("never repeats what an unexpected error says", async () => {
    const { parts, call } = await app();
    const thrown = [
      new Error("planted-secret"),
      new BackendError({ kind: "internal", message: "planted-secret" }),
      Object.assign(new Error("planted-secret"), { statusCode: 418 }),
    ];
    const texts: string[] = [];
    for (const error of thrown) {
      parts.pipelines.list = () => {
        throw error;
      };
      texts.push((await call("GET", "/api/pipelines")).text);
    }
    expect(texts).toEqual([INTERNAL, INTERNAL, expect.stringContaining("The request was refused.")]);
  });
});

describe("an address that is too long", () => {
  it("is refused with a sentence, wherever it is given, and is not kept", async () => {
    const files = createMemoryFiles();
    const credentials = await openCredentialStore({ files, path: "/w/c.json", onNotice: () => undefined });
    const { call } = await app({ over: { credentials } });
    const source = `rtsp://admin:${"(".repeat(500_000)}@127.0.0.1/1`;
    const answers = [
      await call("POST", "/api/cameras/probe", { source }),
      await call("POST", "/api/pipelines", { sources: [source], workflow: SPEC }),
      await call("POST", "/api/infer", { image: source }),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(422);
      expect(JSON.parse(text).error.message).toMatch(/2000 characters at most/);
      expect(text.length).toBeLessThan(500);
    }
    expect(files.contents.size).toBe(0);
  });
});
