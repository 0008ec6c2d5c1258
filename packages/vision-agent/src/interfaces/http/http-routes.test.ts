import type { Alert, SceneEvent } from "@vision-agent/protocol";
import sharp from "sharp";
import { afterEach, describe, expect, it, vi } from "vitest";
import { BackendError } from "../../backends/backend.ts";
import { fakeStatus, JPEG, SPEC } from "../../testing/fake-app.ts";
import { type FakePartsOptions, fakeParts } from "../../testing/fake-http-parts.ts";
import { resizePicture } from "../../tools/resize-picture.ts";
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
  const call = async (
    method: "GET" | "POST" | "DELETE",
    url: string,
    body?: object,
    headers: Record<string, string> = {},
  ) => {
    const response = await server.inject({
      method,
      url,
      headers: { host: "127.0.0.1:4750", ...headers },
      ...(body && { payload: body }),
    });
    return { status: response.statusCode, headers: response.headers, response, json: () => response.json() };
  };
  const say = async (text: string, images?: readonly string[]) => {
    const { id } = (await call("POST", "/api/sessions")).json();
    const answer = await call("POST", `/api/sessions/${id}/messages`, { text, ...(images && { images }) });
    return { id, ...answer };
  };
  return { parts, server, call, say };
}

describe("health and the document", () => {
  it("says who answers and in which mode", async () => {
    const { call } = await app();
    expect((await call("GET", "/healthz")).json()).toMatchObject({
      status: "ok",
      version: "0.0.0-test",
      mode: "offline",
      speaker: "offline interpreter",
    });
  });

  it("describes every address in the OpenAPI document", async () => {
    const { call } = await app();
    const document = (await call("GET", "/api/openapi.json")).json();
    expect(document.openapi).toBe("3.1.0");
    expect(Object.keys(document.paths).sort()).toEqual([
      "/api/accounts",
      "/api/accounts/{name}",
      "/api/alerts",
      "/api/artifacts",
      "/api/artifacts/{id}",
      "/api/audit",
      "/api/backends",
      "/api/blocks",
      "/api/blocks/{type}",
      "/api/cameras",
      "/api/cameras/probe",
      "/api/cameras/{name}",
      "/api/cameras/{name}/live",
      "/api/cameras/{name}/places",
      "/api/cameras/{name}/places/{place}",
      "/api/cameras/{name}/recording",
      "/api/cameras/{name}/snapshot.jpg",
      "/api/changes",
      "/api/config",
      "/api/destinations",
      "/api/destinations/{id}",
      "/api/egress",
      "/api/egress/rules",
      "/api/events",
      "/api/events/{id}",
      "/api/events/{id}/clip.mp4",
      "/api/events/{id}/picture.jpg",
      "/api/forget",
      "/api/infer",
      "/api/jobs",
      "/api/jobs/{id}",
      "/api/jobs/{id}/run",
      "/api/login",
      "/api/login-codes",
      "/api/logins",
      "/api/logins/{id}",
      "/api/logout",
      "/api/me",
      "/api/memory",
      "/api/mode",
      "/api/pauses",
      "/api/pauses/{id}",
      "/api/pipelines",
      "/api/pipelines/{id}",
      "/api/pipelines/{id}/pause",
      "/api/pipelines/{id}/results",
      "/api/pipelines/{id}/resume",
      "/api/runs/{id}/cancel",
      "/api/runs/{id}/events",
      "/api/runs/{id}/steer",
      "/api/sessions",
      "/api/sessions/{id}",
      "/api/sessions/{id}/messages",
      "/api/skills",
      "/api/skills/{name}",
      "/api/stream",
      "/api/undo",
      "/api/usage",
      "/api/usage/limit",
      "/api/visits",
      "/api/visits/{id}",
      "/api/watches",
      "/api/watches/preview",
      "/api/watches/{id}",
      "/api/watches/{id}/pause",
      "/api/watches/{id}/preview",
      "/api/watches/{id}/resume",
      "/api/watches/{id}/test",
      "/api/why",
      "/api/workflows/validate",
      "/healthz",
      "/login",
      "/metrics",
    ]);
  });
});

describe("sessions", () => {
  it("S000-11.6.2 answers a message with the outcome of the run", async () => {
    const { say } = await app();
    const { status, json } = await say("What do you see on street?");
    expect(status).toBe(200);
    expect(json()).toMatchObject({ status: "finished", reason: "complete", images: [expect.stringMatching(/^art_/)] });
    expect(json().text).toContain("On street I see 2 people and 1 car.");
  });

  it("folds the steps of a turn into one message", async () => {
    const { say, call } = await app();
    const { id } = await say("What do you see on street?");
    const { messages, active_run } = (await call("GET", `/api/sessions/${id}`)).json();
    expect(active_run).toBeNull();
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
    expect(messages[0]).toMatchObject({ text: "What do you see on street?", steps: [] });
    expect(messages[1].steps).toMatchObject([
      {
        tool: "capture_frame",
        arguments: { camera: "street" },
        outcome: "ok",
        duration_ms: null,
        images: messages[1].images,
      },
    ]);
    expect(messages[1].images).toHaveLength(1);
  });

  it("lists sessions with their first words", async () => {
    const { say, call } = await app();
    const { id } = await say("What is running?");
    expect((await call("GET", "/api/sessions")).json()).toMatchObject([{ id, title: "What is running?" }]);
  });

  it("warns and goes on when a picture comes to one who cannot see", async () => {
    const { say, call, server } = await app();
    const upload = await server.inject({
      method: "POST",
      url: "/api/artifacts",
      headers: { host: "localhost", "content-type": "image/jpeg" },
      payload: Buffer.from(JPEG),
    });
    const { status, id } = await say("What is running?", [upload.json().id]);
    expect(status).toBe(200);
    expect((await call("GET", `/api/sessions/${id}`)).json().messages).toHaveLength(2);
  });

  it("refuses what it does not know", async () => {
    const { call, say } = await app();
    expect(await call("GET", "/api/sessions/session_none").then(codeOf)).toEqual([404, "not_found"]);
    expect(await call("POST", "/api/sessions/session_none/messages", { text: "hi" }).then(codeOf)).toEqual([
      404,
      "not_found",
    ]);
    expect(await say("hi", ["art_none"]).then(codeOf)).toEqual([400, "unknown_image"]);
    const { id } = (await call("POST", "/api/sessions")).json();
    const messages = `/api/sessions/${id}/messages`;
    expect(await call("POST", `${messages}?dialect=klingon`, { text: "hi" }).then(codeOf)).toEqual([
      400,
      "invalid_request",
    ]);
    expect(await call("POST", messages, { text: "" }).then(codeOf)).toEqual([400, "invalid_request"]);
    expect(await call("POST", messages, { words: "hi" }).then(codeOf)).toEqual([400, "invalid_request"]);
    expect(await call("GET", "/api/runs/run_none/events").then(codeOf)).toEqual([404, "not_found"]);
    expect(await call("POST", "/api/runs/run_none/cancel").then(codeOf)).toEqual([404, "not_found"]);
  });
});

describe("a run that is over", () => {
  it("says how it ended when it is cancelled too late, however often", async () => {
    const { server, call } = await app();
    const { id } = (await call("POST", "/api/sessions")).json();
    const { body } = await server.inject({
      method: "POST",
      url: `/api/sessions/${id}/messages`,
      headers: { host: "localhost", accept: "text/event-stream" },
      payload: { text: "What is running?" },
    });
    const run = /"run_id":"([^"]+)"/.exec(body)?.[1];
    for (let times = 0; times < 2; times += 1) {
      expect((await call("POST", `/api/runs/${run}/cancel`)).json()).toEqual({ status: "finished" });
    }
    expect(await call("POST", `/api/runs/${run}/steer`, { text: "wait" }).then(codeOf)).toEqual([409, "run_over"]);
  });
});

describe("artifacts", () => {
  it("takes raw bytes and multipart and gives them back for good", async () => {
    const { server, call } = await app();
    const headers = { host: "localhost:4750", "content-type": "application/octet-stream" };
    const raw = await server.inject({ method: "POST", url: "/api/artifacts", headers, payload: Buffer.from(JPEG) });
    expect(raw.statusCode).toBe(201);
    const form = new FormData();
    form.append("file", new Blob([Buffer.from(JPEG)]), "a.jpg");
    const body = new Response(form);
    const multipart = await server.inject({
      method: "POST",
      url: "/api/artifacts",
      headers: { host: "localhost", "content-type": body.headers.get("content-type") ?? "" },
      payload: Buffer.from(await body.arrayBuffer()),
    });
    expect(multipart.json().id).toBe(raw.json().id);
    const { response, headers: got } = await call("GET", `/api/artifacts/${raw.json().id}`);
    expect(new Uint8Array(response.rawPayload)).toEqual(JPEG);
    expect(got).toMatchObject({ "content-type": "image/jpeg", "x-content-type-options": "nosniff" });
    expect(got["cache-control"]).toContain("immutable");
  });

  it("makes a smaller picture", async () => {
    const { parts, call } = await app({ over: { resize: resizePicture } });
    const png = await sharp({ create: { width: 300, height: 200, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    const { id } = await parts.artifacts.put(png, { mimeType: "image/png", namespace: "input_image" });
    const { response, headers } = await call("GET", `/api/artifacts/${id}?width=60`);
    expect(headers["content-type"]).toBe("image/jpeg");
    expect(await sharp(response.rawPayload).metadata()).toMatchObject({ width: 60, height: 40 });
  });

  it.each([
    ["what only claims to be a picture", Buffer.from("<svg onload=alert(1)>"), "image/png", [415, "not_an_image"]],
    ["nothing", Buffer.alloc(0), "image/png", [400, "invalid_body"]],
    ["more than 20 MB", Buffer.alloc(20 * 1024 * 1024 + 1), "image/png", [413, "too_large"]],
    ["another content type", Buffer.from("a"), "text/html", [415, "unsupported_media_type"]],
    ["a form without a boundary", Buffer.from("a"), "multipart/form-data", [400, "invalid_body"]],
    [
      "a form that breaks off",
      Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\nabc'),
      "multipart/form-data; boundary=x",
      [400, "invalid_body"],
    ],
  ])("refuses %s", async (_name, payload, type, expected) => {
    const { server } = await app();
    const headers = { host: "localhost", "content-type": type };
    const response = await server.inject({ method: "POST", url: "/api/artifacts", headers, payload });
    expect([response.statusCode, response.json().error.code]).toEqual(expected);
  });

  it("says that a damaged picture cannot be made smaller", async () => {
    const { parts, call } = await app({ over: { resize: resizePicture } });
    const { id } = await parts.artifacts.put(JPEG, { mimeType: "image/jpeg", namespace: "input_image" });
    expect(await call("GET", `/api/artifacts/${id}?width=60`).then(codeOf)).toEqual([422, "not_decodable"]);
  });

  it("knows what it does not have", async () => {
    const { call } = await app();
    expect(await call("GET", "/api/artifacts/art_none").then(codeOf)).toEqual([404, "not_found"]);
    expect(await call("GET", "/api/artifacts/art_none?width=9").then(codeOf)).toEqual([400, "invalid_request"]);
  });
});

describe("cameras", () => {
  it("never shows a password", async () => {
    const { call } = await app();
    const { response } = await call("GET", "/api/cameras");
    expect(response.json().map(({ name }: { name: string }) => name)).toEqual(["street", "dock"]);
    expect(response.body).not.toContain("password");
    expect((await call("GET", "/api/cameras/Street")).json().source).toBe("rtsp://street.local/stream");
  });

  it("gives a snapshot and the reason when there is no camera", async () => {
    const { call } = await app({ running: [fakeStatus()] });
    const { headers, response } = await call("GET", "/api/cameras/street/snapshot.jpg");
    expect(headers["content-type"]).toBe("image/jpeg");
    expect(new Uint8Array(response.rawPayload)).toEqual(JPEG);
    const missing = await call("GET", "/api/cameras/garage/snapshot.jpg");
    expect(missing.json().error).toEqual({
      code: "not_found",
      message: 'There is no camera called "garage". Cameras: street, dock.',
    });
  });

  it("says that a camera gives no picture, also while opening it takes longer than anybody waits", async () => {
    const { parts, call } = await app();
    const opening = Promise.withResolvers<() => void>();
    parts.pipelines.view = () => opening.promise;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const late = call("GET", "/api/cameras/street/snapshot.jpg");
    await vi.advanceTimersByTimeAsync(15_000);
    vi.useRealTimers();
    const { status, json } = await late;
    expect([status, json().error.message]).toEqual([424, "street gave no picture within 15 seconds."]);
    opening.reject(new BackendError({ kind: "source", message: "Nobody answers." }));
  });

  it("probes a source", async () => {
    const { call } = await app();
    expect((await call("POST", "/api/cameras/probe", { source: "rtsp://x" })).json()).toMatchObject({
      ok: false,
      reason: "refused",
    });
  });
});

describe("passwords in what people send", () => {
  it("stay in the credential store, except those of CAMERAS.md", async () => {
    const taken: unknown[] = [];
    const take = async <T>(body: T): Promise<T> => {
      if (body !== undefined) taken.push(body);
      return body;
    };
    const { call, say } = await app({ over: { credentials: { take } } });
    const { id } = await say("What do you see?");
    await call("POST", `/api/runs/${id}/steer`, { text: "Steered." });
    await call("POST", "/api/pauses/none", { decision: "answer", text: "Answered." });
    await call("POST", "/api/cameras", { name: "gate", source: "rtsp://u:p@h/1" });
    await call("POST", "/api/cameras/probe", { source: "rtsp://u:p@h/2" });
    expect(taken).toEqual([
      { text: "What do you see?" },
      { text: "Steered." },
      { decision: "answer", text: "Answered." },
    ]);
  });

  it("are gone before anything is started", async () => {
    const credentials = { take: async <T>(body: T) => ({ ...body, sources: ["rtsp://h/1"] }) };
    const { call, parts } = await app({ over: { credentials } });
    const sent = { sources: ["rtsp://u:p@h/1"], workflow: SPEC };
    expect((await call("POST", "/api/pipelines", sent)).json()).toMatchObject({ video_reference: "rtsp://h/1" });
    expect(parts.pipelines.started).toMatchObject([{ videoReference: "rtsp://h/1" }]);
  });
});

describe("pipelines", () => {
  it("starts, shows, pauses, resumes and stops", async () => {
    const { call } = await app();
    const started = await call("POST", "/api/pipelines", { sources: ["street"], workflow: SPEC, name: "count" });
    expect(started.status).toBe(201);
    const at = `/api/pipelines/${started.json().pipeline_id}`;
    expect((await call("GET", at)).json()).toMatchObject({ name: "count", video_reference: "street" });
    expect((await call("POST", `${at}/pause`)).json().status).toBe("paused");
    expect((await call("POST", `${at}/resume`)).json().status).toBe("running");
    expect((await call("GET", `${at}/results?last=1`)).json().results).toHaveLength(1);
    expect((await call("DELETE", at)).json().status).toBe("stopped");
    expect((await call("GET", "/api/pipelines")).json()).toEqual([]);
  });

  it("tells everything wrong with a workflow", async () => {
    const { call } = await app();
    const workflow = { ...SPEC, steps: [] };
    const refused = await call("POST", "/api/pipelines", { sources: ["street"], workflow });
    expect(codeOf(refused)).toEqual([422, "invalid_workflow"]);
    expect(refused.json().error.hint).toContain("steps: No steps.");
    expect((await call("POST", "/api/workflows/validate", { workflow })).json()).toEqual({
      valid: false,
      problems: [{ step: null, property: "steps", message: "No steps." }],
    });
  });

  it.each([
    ["an unknown camera", { sources: ["garage"], workflow: SPEC }, 404, "not_found"],
    ["two sources", { sources: ["street", "dock"], workflow: SPEC }, 400, "one_source"],
    ["a backend that nobody knows", { sources: ["street"], workflow: SPEC, backend: "gpu" }, 400, "invalid_request"],
    ["no workflow", { sources: ["street"] }, 400, "invalid_request"],
  ])("refuses %s", async (_name, body, status, code) => {
    const { call } = await app();
    expect(await call("POST", "/api/pipelines", body).then(codeOf)).toEqual([status, code]);
  });

  it("names what runs when the name is wrong", async () => {
    const { call } = await app({ running: [fakeStatus()] });
    const { json } = await call("DELETE", "/api/pipelines/none");
    expect(json().error).toMatchObject({ code: "not_found", message: expect.stringContaining("street-count") });
  });
});

describe("events and alerts", () => {
  it("lists what happened and shows its picture", async () => {
    const { parts, call } = await app();
    const { id: picture } = await parts.artifacts.put(JPEG, { mimeType: "image/jpeg", namespace: "event" });
    parts.happen({ ...EVENT, picture });
    parts.raise(ALERT);
    expect((await call("GET", "/api/events?camera=street&class=person&from=2026-01-01T00:00:00Z")).json()).toHaveLength(
      1,
    );
    expect((await call("GET", "/api/events/ev_1")).json()).toMatchObject({ kind: "appeared" });
    expect((await call("GET", "/api/events/ev_1/picture.jpg")).headers["content-type"]).toBe("image/jpeg");
    expect((await call("GET", "/api/alerts")).json()).toMatchObject([{ id: "al_1" }]);
  });

  it("says that there is no picture, no event, no such kind", async () => {
    const { parts, call } = await app();
    parts.happen(EVENT);
    expect(await call("GET", "/api/events/ev_1/picture.jpg").then(codeOf)).toEqual([404, "no_picture"]);
    expect(await call("GET", "/api/events/ev_2").then(codeOf)).toEqual([404, "not_found"]);
    expect(await call("GET", "/api/events?kind=party").then(codeOf)).toEqual([400, "invalid_request"]);
  });
});

describe("counting events", () => {
  const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 10, minute)).toISOString();
  const happened = async () => {
    const { parts, call } = await app();
    for (const [minute, camera] of ["street", "dock", "street", "street"].entries())
      parts.happen({ ...EVENT, id: `ev_${minute}`, timestamp: at(minute), camera, visit_id: `v_${camera}` });
    return { call, get: async (path: string) => (await call("GET", path)).json() };
  };

  it("groups by one or two, exactly", async () => {
    const { get, call } = await happened();
    expect(await get("/api/events?group_by=camera")).toEqual({
      total: 4,
      groups: [
        { camera: "street", count: 3 },
        { camera: "dock", count: 1 },
      ],
      groups_left_out: 0,
    });
    expect((await get("/api/events?group_by=day,class&camera=street")).groups).toEqual([
      { day: "2026-01-01", class: "person", count: 3 },
    ]);
    for (const wrong of ["colour", "day,class,kind", ""])
      expect(await call("GET", `/api/events?group_by=${wrong}`).then(codeOf)).toEqual([400, "invalid_request"]);
  });

  it("pages in both orders, and says when the page before is not known", async () => {
    const { get, call } = await happened();
    const ids = async (query: string): Promise<readonly string[]> =>
      (await get(`/api/events?${query}`)).map(({ id }: { id: string }) => id);
    expect(await ids("limit=3")).toEqual(["ev_3", "ev_2", "ev_1"]);
    expect(await ids("limit=3&cursor=ev_1")).toEqual(["ev_0"]);
    expect(await ids("limit=2&order=oldest&cursor=ev_0")).toEqual(["ev_1", "ev_2"]);
    expect(await call("GET", "/api/events?cursor=ev_9").then(codeOf)).toEqual([404, "not_found"]);
  });

  it("gives visits with their events", async () => {
    const { get, call } = await happened();
    const dock = { id: "v_dock", camera: "dock", begin: at(1), end: at(1), events: 1 };
    expect(await get("/api/visits")).toMatchObject([dock, { id: "v_street", begin: at(0), end: at(3), events: 3 }]);
    expect(await get("/api/visits?camera=street&order=oldest")).toHaveLength(1);
    expect(await get("/api/visits?cursor=v_dock")).toMatchObject([{ id: "v_street" }]);
    expect(await get("/api/visits/v_dock")).toMatchObject(dock);
    expect(await get("/api/events?visit=v_dock")).toMatchObject([{ id: "ev_1" }]);
    expect(await call("GET", "/api/visits/v_none").then(codeOf)).toEqual([404, "not_found"]);
  });
});

describe("who may ask", () => {
  it.each(["localhost", "localhost:4750", "127.0.0.1:1", "[::1]:4750"])("answers to %s", async (host) => {
    const { call } = await app();
    expect((await call("GET", "/healthz", undefined, { host })).status).toBe(200);
  });

  it.each(["evil.example", "evil.example:4750", "127.0.0.1.evil.example", "192.168.1.4:4750"])(
    "does not answer to %s, whose name may have been bent to this machine",
    async (host) => {
      const { call } = await app();
      expect(await call("GET", "/api/cameras", undefined, { host }).then(codeOf)).toEqual([403, "foreign_host"]);
    },
  );

  it.each<Record<string, string>>([
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
  ])("lets no other site change anything: %j", async (headers) => {
    const { call } = await app();
    expect(await call("POST", "/api/sessions", undefined, headers).then(codeOf)).toEqual([403, "foreign_origin"]);
  });

  it("lets its own page act", async () => {
    const { call } = await app();
    expect((await call("POST", "/api/sessions", undefined, { origin: "http://127.0.0.1:4750" })).status).toBe(201);
  });

  it("allows no script that is not its own", async () => {
    const { call } = await app();
    const { headers } = await call("GET", "/healthz");
    expect(headers["content-security-policy"]).toContain("script-src 'self';");
    expect(headers["content-security-policy"]).toContain("img-src 'self' blob: data:");
    expect(headers["content-security-policy"]).not.toContain("upgrade-insecure-requests");
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });
});

describe("pages and errors", () => {
  it("says how to build the dashboard when it is not there", async () => {
    const { call } = await app();
    const { response, headers } = await call("GET", "/cameras/street");
    expect(headers["content-type"]).toContain("text/html");
    expect(response.body).toContain("npm start");
  });

  it("answers unknown addresses of the API with the one error body", async () => {
    const { call } = await app();
    expect(await call("GET", "/api/nothing").then(codeOf)).toEqual([404, "not_found"]);
    expect(await call("POST", "/nothing").then(codeOf)).toEqual([404, "not_found"]);
  });

  it("answers addresses that the router refuses with the same error body", async () => {
    const { call } = await app();
    expect(await call("GET", "/api/sessions/%zz").then(codeOf)).toEqual([400, "invalid_request"]);
    expect(await call("GET", `/api/sessions/${"a".repeat(600)}`).then(codeOf)).toEqual([414, "invalid_request"]);
  });

  it.each(["/api/stream", "/api/cameras/street/live", "/api/runs/run_1/events"])(
    "has no head of the endless %s",
    async (url) => {
      const { server } = await app({ running: [fakeStatus()] });
      expect((await server.inject({ method: "HEAD", url, headers: { host: "localhost" } })).statusCode).toBe(404);
    },
  );

  it("says when the disk is full", async () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    const { call } = await app({ over: { probe: () => Promise.reject(full) } });
    const refused = await call("POST", "/api/cameras/probe", { source: "x" });
    expect(codeOf(refused)).toEqual([507, "no_space"]);
    expect(refused.json().error.message).toContain("free some space");
  });

  it("does not call a camera that does not open a fault of its own", async () => {
    const down = new BackendError({ kind: "source", message: "street refuses." });
    const { parts, call } = await app({ over: { probe: () => Promise.reject(down) } });
    expect(await call("POST", "/api/cameras/probe", { source: "x" }).then(codeOf)).toEqual([424, "source"]);
    expect(parts.faults).toEqual([]);
  });

  it("tells the log and not the person what broke inside", async () => {
    const broken = new Error("secret detail");
    const { parts, call } = await app({
      over: {
        probe: async () => {
          throw broken;
        },
      },
    });
    const { status, response } = await call("POST", "/api/cameras/probe", { source: "x" });
    expect(status).toBe(500);
    expect(response.body).not.toContain("secret");
    expect(parts.faults).toEqual([broken]);
  });

  it("refuses a body that is no JSON", async () => {
    const { server } = await app();
    const headers = { host: "localhost", "content-type": "application/json" };
    const response = await server.inject({ method: "POST", url: "/api/pipelines", headers, payload: "{" });
    expect(response.json().error.code).toBe("invalid_body");
  });
});

function codeOf({ status, json }: { readonly status: number; json(): { error: { code: string } } }): [number, string] {
  return [status, json().error.code];
}

const EVENT: SceneEvent = {
  id: "ev_1",
  kind: "appeared",
  timestamp: "2026-01-01T10:00:00.000Z",
  camera: "street",
  pipeline_id: "pl_1",
  frame_number: 7,
  class_name: "person",
  text: "A person appeared on street.",
};
const ALERT: Alert = {
  id: "al_1",
  severity: "info",
  timestamp: "2026-01-01T10:00:00.000Z",
  camera: "street",
  text: "A person appeared on street.",
  event_id: "ev_1",
  held_back: 0,
};
