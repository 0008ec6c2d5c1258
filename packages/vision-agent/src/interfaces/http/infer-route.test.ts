import { EngineError } from "@vision-agent/vision-engine";
import { afterEach, describe, expect, it } from "vitest";
import { JPEG, SPEC } from "../../testing/fake-app.ts";
import { fakeParts } from "../../testing/fake-http-parts.ts";
import { createHttpServer } from "./create-http-server.ts";
import type { HttpServer } from "./http-parts.ts";

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

describe("POST /api/infer", () => {
  it("looks at a picture with a model, its confidence and classes", async () => {
    const { call, parts, image } = await app();
    const body = { image, model: "coco/3", confidence: 0.7, classes: ["car"] };
    const { status, json } = await call("POST", "/api/infer", body);
    expect(status).toBe(200);
    expect(json()).toMatchObject({
      backend: "direct",
      backend_reason: "It runs on this machine (direct) because inference.backend is direct.",
      result: { frame: { source_id: "picture" } },
      annotated: null,
      note: null,
    });
    const [look] = parts.engine.looks;
    expect([...(look?.picture ?? [])]).toEqual([...JPEG]);
    expect(look?.workflow.steps[0]).toMatchObject({ model_id: "coco/3", confidence: 0.7, class_filter: ["car"] });
  });

  it("takes a form with a file and fields", async () => {
    const { server, parts } = await app();
    const form = new FormData();
    form.append("workflow", JSON.stringify(SPEC));
    form.append("parameters", JSON.stringify({ limit: 3 }));
    form.append("backend", "http");
    form.append("file", new Blob([Buffer.from(JPEG)]), "a b.jpg");
    const response = await inject(server, form);
    expect(response.json()).toMatchObject({ backend: "http" });
    expect(parts.server.looks).toMatchObject([{ workflow: SPEC, parameters: { limit: 3 } }]);
  });

  it("looks through a camera by name", async () => {
    const { call, parts } = await app();
    parts.engine.opens = /^rtsp:/;
    expect((await call("POST", "/api/infer", { image: "STREET", workflow: SPEC })).status).toBe(200);
    expect(parts.engine.looks[0]).toMatchObject({
      sourceId: "street",
      source: expect.stringContaining("street.local"),
    });
  });

  it.each([
    ["art", "vision-agent/default"],
    ["sim://street", "sim/truth"],
  ])("chooses the detector for %s when nobody names one", async (wanted, model) => {
    const { call, parts, image } = await app();
    parts.engine.opens = /^sim:/;
    const { status } = await call("POST", "/api/infer", { image: wanted === "art" ? image : wanted, confidence: 0.2 });
    expect(status).toBe(200);
    expect(parts.engine.looks[0]?.workflow.steps[0]).toMatchObject({ model_id: model, confidence: 0.2 });
  });

  it("keeps the drawn picture as an artifact", async () => {
    const { call, parts, image } = await app();
    parts.engine.draws = JPEG;
    const { annotated } = (await call("POST", "/api/infer", { image, model: "m" })).json();
    const drawn = await call("GET", `/api/artifacts/${annotated}`);
    expect(drawn.headers["content-type"]).toBe("image/jpeg");
  });

  it.each<[string, object, number, string]>([
    ["no picture", { image: undefined, model: "m" }, 400, "invalid_body"],
    ["a model and a workflow", { model: "m", workflow: SPEC }, 400, "invalid_body"],
    ["half a saved workflow", { workflow_id: "count" }, 400, "invalid_body"],
    ["a confidence of 7", { model: "m", confidence: 7 }, 400, "invalid_body"],
    ["what is neither artifact nor camera", { image: "garage", model: "m" }, 404, "not_found"],
    ["an unknown saved workflow", { workspace_name: "a", workflow_id: "b" }, 404, "not_found"],
    ["a wrong workflow", { workflow: { ...SPEC, steps: [{ type: "no", name: "x" }] } }, 422, "invalid_workflow"],
    ["a backend that is not there", { model: "m", backend: "webrtc" }, 424, "unavailable"],
  ])("refuses %s with an error of the API", async (_, body, status, code) => {
    const { call, image } = await app();
    const answer = await call("POST", "/api/infer", { image, ...body });
    expect([answer.status, answer.json().error.code]).toEqual([status, code]);
    expect(answer.json().error.message).toMatch(/\.$/);
  });

  it("refuses an artifact that is no picture", async () => {
    const { call, parts } = await app();
    const { id } = await parts.artifacts.put(Buffer.from("hello"), { mimeType: "text/plain", namespace: "notes" });
    const answer = await call("POST", "/api/infer", { image: id });
    expect([answer.status, answer.json().error.code]).toEqual([422, "not_decodable"]);
  });

  it("answers with the engine's own sentence when a model cannot be had", async () => {
    const { call, parts, image } = await app();
    parts.engine.failure = new EngineError({ kind: "model", message: "There is no such model." });
    const answer = await call("POST", "/api/infer", { image, model: "m" });
    expect(answer.json().error).toEqual({ code: "model", message: "There is no such model." });
  });

  it("refuses a file beside an image", async () => {
    const { server } = await app();
    const form = new FormData();
    form.append("image", "street");
    form.append("file", new Blob([Buffer.from(JPEG)]), "a.jpg");
    expect((await inject(server, form)).json().error).toMatchObject({ code: "invalid_body" });
  });

  it("refuses a form that breaks off", async () => {
    const { server } = await app();
    const response = await server.inject({
      method: "POST",
      url: "/api/infer",
      headers: { host: "localhost", "content-type": "multipart/form-data; boundary=x" },
      payload: '--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\nabc',
    });
    expect([response.statusCode, response.json().error.code]).toEqual([400, "invalid_body"]);
  });
});

async function inject(server: HttpServer, form: FormData) {
  const body = new Response(form);
  return server.inject({
    method: "POST",
    url: "/api/infer",
    headers: { host: "localhost", "content-type": body.headers.get("content-type") ?? "" },
    payload: Buffer.from(await body.arrayBuffer()),
  });
}

async function app() {
  const parts = fakeParts();
  const server = await createHttpServer(parts);
  servers.push(server);
  const call = async (method: "GET" | "POST", url: string, body?: object) => {
    const headers = { host: "127.0.0.1:4750" };
    const response = await server.inject({ method, url, headers, ...(body && { payload: body }) });
    return { status: response.statusCode, headers: response.headers, json: () => response.json() };
  };
  const { id: image } = await parts.artifacts.put(JPEG, { mimeType: "image/jpeg", namespace: "input_image" });
  return { parts, server, call, image };
}
