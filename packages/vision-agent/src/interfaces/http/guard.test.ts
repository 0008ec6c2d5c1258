import { type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { scriptedModel, testTool } from "@vision-agent/agent-core/testing";
import { afterEach, describe, expect, it } from "vitest";
import { fakeStatus, JPEG } from "../../testing/fake-app.ts";
import { openFakeEgress } from "../../testing/fake-egress.ts";
import type { FakePartsOptions } from "../../testing/fake-http-parts.ts";
import { GUARDED_HOST, openGuardedApp, VIEWER_PASSWORD } from "../../testing/signed-in.ts";
import type { HttpServer } from "./http-parts.ts";

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

type Sender = "nobody" | "viewer" | "owner" | "program";
type Method = "GET" | "POST" | "PATCH" | "DELETE";

async function open(options: FakePartsOptions = {}) {
  const app = await openGuardedApp(options);
  servers.push(app.server);
  const call = async (
    request: `${Method} /${string}`,
    sender: Sender,
    { headers = {}, body }: { readonly headers?: Record<string, string>; readonly body?: object | string } = {},
  ) => {
    const [method, url] = request.split(" ") as [Method, string];
    return app.server.inject({
      method,
      url,
      headers: { host: GUARDED_HOST, ...app.senders[sender], ...headers },
      ...(body !== undefined && { payload: body }),
    });
  };
  return { ...app, call };
}

describe("what is no HTTP", () => {
  it("is refused in the shape of every error", async () => {
    const { server } = await open();
    await server.listen({ host: "127.0.0.1", port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const socket = connect(port, "127.0.0.1");
    socket.end("GET / HTTP/9.9\r\n\r\n");
    let text = "";
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1.1 400 Bad Request/);
    expect(JSON.parse(text.split("\r\n\r\n")[1] ?? "")).toMatchObject({ error: { code: "invalid_request" } });
  });
});

describe("a page of another origin", () => {
  const OWN = `http://${GUARDED_HOST}`;

  it.each([
    ["http://localhost:3000", "same-site"],
    ["http://127.0.0.1:3000", "same-site"],
    ["http://localhost:4750", "same-site"],
    [`https://${GUARDED_HOST}`, "cross-site"],
    ["https://evil.example", "cross-site"],
    ["null", "cross-site"],
  ])("may not act, nor show a picture or a live view: %s", async (origin, site) => {
    const { call } = await open();
    const requests = ["POST /api/sessions", "GET /api/cameras/street/snapshot.jpg", "GET /api/cameras"] as const;
    for (const request of requests) {
      expect((await call(request, "owner", { headers: { origin } })).json().error.code).toBe("foreign_origin");
      const bySite = await call(request, "owner", { headers: { "sec-fetch-site": site } });
      expect(bySite.json().error.code).toBe("foreign_origin");
    }
  });

  it("is none when it is this server's own, or no page at all", async () => {
    const { call } = await open();
    expect((await call("POST /api/sessions", "owner", { headers: { origin: OWN } })).statusCode).toBe(201);
    const own = { origin: OWN, "sec-fetch-site": "same-origin" };
    expect((await call("GET /api/cameras", "owner", { headers: own })).statusCode).toBe(200);
    expect((await call("GET /api/cameras", "program")).statusCode).toBe(200);
  });

  it("may lead to the dashboard, whose pages hold nothing private, and not embed anything", async () => {
    const { call } = await open();
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const page = await call("GET /timeline", "nobody", { headers });
    expect(page.statusCode).toBe(200);
    expect(page.headers["cross-origin-resource-policy"]).toBe("same-origin");
    expect(page.headers["referrer-policy"]).toBe("no-referrer");
  });

  it("may not sign a browser in under an account of its own", async () => {
    const { call } = await open();
    const body = { name: "guest", password: VIEWER_PASSWORD };
    const headers = { origin: "http://localhost:3000" };
    expect((await call("POST /api/login", "nobody", { headers, body })).statusCode).toBe(403);
  });
});

describe("signing in", () => {
  it("gives a browser its cookie for the token, leads to / and leaves no token behind", async () => {
    const { call, access } = await open();
    for (let time = 0; time < 2; time += 1) {
      const answer = await call(`GET /login?token=${access.token}`, "nobody");
      expect([answer.statusCode, answer.headers.location]).toEqual([303, "/"]);
      expect(answer.headers["set-cookie"]).toMatch(
        /^vision_agent_4750=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
      );
      expect(answer.headers["cache-control"]).toBe("no-store");
      const cookie = String(answer.headers["set-cookie"]).split(";")[0] ?? "";
      expect((await call("GET /api/me", "nobody", { headers: { cookie } })).json()).toEqual({
        name: "local",
        role: "owner",
        cameras: null,
      });
    }
  });

  it("takes a code once; the same browser may open its link again", async () => {
    const { call } = await open();
    const { url, code } = (await call("POST /api/login-codes", "program")).json();
    expect(url).toBe("http://127.0.0.1:4750/login");
    const path = `/login?token=${code}`;
    expect((await call(`GET ${path}` as "GET /", "nobody")).statusCode).toBe(303);
    const again = await call(`GET ${path}` as "GET /", "nobody");
    expect(again.statusCode).toBe(401);
    expect(again.headers["set-cookie"]).toBeUndefined();
    expect(again.headers["content-type"]).toContain("text/html");
    expect((await call(`GET ${path}` as "GET /", "owner")).statusCode).toBe(303);
  });

  it("with a name and a password gives a cookie that signs out again", async () => {
    const { call } = await open();
    const wrong = await call("POST /api/login", "nobody", { body: { name: "guest", password: "wrong" } });
    expect([wrong.statusCode, wrong.json().error.code]).toEqual([401, "wrong_password"]);
    const right = await call("POST /api/login", "nobody", { body: { name: "guest", password: VIEWER_PASSWORD } });
    expect(right.json()).toEqual({ name: "guest", role: "viewer", cameras: ["street"] });
    const headers = { cookie: String(right.headers["set-cookie"]).split(";")[0] ?? "" };
    expect((await call("GET /api/me", "nobody", { headers })).statusCode).toBe(200);
    const out = await call("POST /api/logout", "nobody", { headers });
    expect(out.headers["set-cookie"]).toContain("Max-Age=0");
    expect((await call("GET /api/me", "nobody", { headers })).statusCode).toBe(401);
  });

  it("ends with an answer and without a cookie, also on a real socket", async () => {
    const { server, senders } = await open();
    await server.listen({ host: "127.0.0.1", port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const headers = { ...senders.viewer, host: GUARDED_HOST };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ host: "127.0.0.1", port, path: "/api/logout", method: "POST", headers }, resolve)
        .on("error", reject)
        .end();
    });
    answer.resume();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["set-cookie"]?.join()).toContain("Max-Age=0");
  });

  it("answers 429 with Retry-After after many wrong passwords", async () => {
    const { call } = await open();
    const body = { name: "guest", password: "wrong" };
    for (let time = 0; time < 5; time += 1) await call("POST /api/login", "nobody", { body });
    const slowed = await call("POST /api/login", "nobody", { body });
    expect([slowed.statusCode, slowed.headers["retry-after"]]).toEqual([429, "1"]);
  });

  it("is what an API call without it is told", async () => {
    const { call } = await open();
    const answer = await call("GET /api/cameras", "nobody");
    expect(answer.json().error).toEqual({
      code: "unauthorized",
      message: "Sign in first.",
      hint: expect.stringContaining("server.json"),
    });
    const wrong = { authorization: "Bearer wrong" };
    expect((await call("GET /api/cameras", "owner", { headers: wrong })).statusCode).toBe(401);
  });
});

describe("a viewer", () => {
  const running = [fakeStatus(), fakeStatus({ pipeline_id: "pl_2", name: "dock-count", video_reference: "dock" })];

  it("sees its cameras and what runs on them, and nothing of the others", async () => {
    const { call } = await open({ running });
    const names = (await call("GET /api/cameras", "viewer")).json().map(({ name }: { name: string }) => name);
    expect(names).toEqual(["street"]);
    const ids = (await call("GET /api/pipelines", "viewer"))
      .json()
      .map((one: { pipeline_id: string }) => one.pipeline_id);
    expect(ids).toEqual(["pl_1"]);
    const hidden = [
      "GET /api/cameras/dock",
      "GET /api/cameras/DOCK/snapshot.jpg",
      "GET /api/cameras/dock/live",
      "GET /api/pipelines/pl_2",
      "GET /api/pipelines/pl_2/results",
      "GET /api/why?camera=dock",
    ] as const;
    for (const request of hidden) {
      const answer = await call(request, "viewer");
      expect([request, answer.statusCode]).toEqual([request, 404]);
    }
    expect((await call("GET /api/cameras/dock", "viewer")).body).not.toContain("Cameras: street, dock");
    expect((await call("GET /api/pipelines/pl_1/results", "viewer")).statusCode).toBe(200);
  });

  it("sees the events, alerts, watches and pictures of its cameras only", async () => {
    const { call, parts } = await open({ running });
    const at = "2026-01-01T10:00:00.000Z";
    const pictures: Record<string, string> = {};
    for (const camera of ["street", "dock"]) {
      const { id } = await parts.artifacts.put(Uint8Array.of(...JPEG, camera.length), {
        mimeType: "image/jpeg",
        namespace: "events",
      });
      pictures[camera] = id;
      const event = { camera, pipeline_id: "pl_1", timestamp: at, frame_number: 1, picture: id };
      parts.happen({
        ...event,
        id: `ev_${camera}`,
        visit_id: `visit_${camera}`,
        kind: "appeared",
        text: `A cat on ${camera}.`,
      });
      parts.raise({ id: `al_${camera}`, severity: "info", timestamp: at, camera, text: "A cat.", held_back: 0 });
      const words = { words: "a cat", cameras: [camera], classes: ["person"], condition: { kind: "appears" } };
      await call("POST /api/watches", "program", { body: words });
    }
    const then = { when: { kind: "appears" } };
    const steps = [then, { ...then, camera: "dock" }];
    const both = { words: "a cat goes on", cameras: ["street"], classes: ["person"] };
    await call("POST /api/watches", "program", {
      body: { ...both, condition: { kind: "sequence", steps, within_seconds: 9 } },
    });
    const idsOf = async (request: "GET /api/events" | "GET /api/alerts" | "GET /api/visits") =>
      (await call(request, "viewer")).json().map(({ id }: { id: string }) => id);
    expect(await idsOf("GET /api/events")).toEqual(["ev_street"]);
    expect((await call("GET /api/events?group_by=camera", "viewer")).json()).toMatchObject({ total: 1 });
    expect(await idsOf("GET /api/visits")).toEqual(["visit_street"]);
    expect((await call("GET /api/visits/visit_dock", "viewer")).statusCode).toBe(404);
    expect((await call(`GET /api/artifacts/${pictures.street}`, "viewer")).statusCode).toBe(200);
    expect(await idsOf("GET /api/alerts")).toEqual(["al_street"]);
    const watches = (await call("GET /api/watches", "viewer")).json();
    expect(watches.map(({ cameras }: { cameras: string[] }) => cameras)).toEqual([["street"]]);
    const all = (await call("GET /api/watches", "program")).json();
    expect(all).toHaveLength(3);
    const other = all.find(({ cameras }: { cameras: string[] }) => cameras[0] === "dock");
    for (const { id } of [other, all.find(({ words }: { words: string }) => words === both.words)]) {
      expect((await call(`GET /api/watches/${id}`, "viewer")).statusCode).toBe(404);
      expect((await call(`GET /api/why?camera=street&watch=${id}`, "viewer")).statusCode).toBe(404);
    }
    expect((await call("GET /api/events/ev_dock/picture.jpg", "viewer")).statusCode).toBe(404);
    expect((await call("GET /api/events/ev_street/picture.jpg", "viewer")).statusCode).toBe(200);
    expect((await call(`GET /api/artifacts/${pictures.dock}`, "viewer")).statusCode).toBe(404);
  });

  it("learns nothing of what it may not see from what is not there", async () => {
    const { call } = await open({ running });
    await call("POST /api/watches", "program", {
      body: { words: "a cat", cameras: ["dock"], classes: ["person"], condition: { kind: "appears" } },
    });
    const absent = ["GET /api/pipelines/nope/results", "GET /api/watches/nope", "GET /api/cameras/nope"] as const;
    for (const request of absent) {
      const { error } = (await call(request, "viewer")).json();
      expect(error).toEqual({ code: "not_found", message: "There is no such thing, or this account may not see it." });
    }
  });

  it("does not see the test of a watch that also looks at another camera", async () => {
    const { call, parts } = await open({ running });
    const idOf = async (cameras: readonly string[]): Promise<string> => {
      const body = { words: "a cat at the safe", cameras, classes: ["person"], condition: { kind: "appears" } };
      return (await call("POST /api/watches", "program", { body })).json().id;
    };
    const about = { severity: "info", timestamp: "2026-01-01T10:00:00.000Z", camera: "street", held_back: 0 } as const;
    for (const watch_id of [await idOf(["street", "dock"]), await idOf(["street"]), "gone"])
      parts.raise({ ...about, id: `al_${watch_id}`, text: "Test.", watch_id, test: true });
    const seen = async (who: "viewer" | "owner") => (await call("GET /api/alerts", who)).json().length;
    expect([await seen("viewer"), await seen("owner")]).toEqual([1, 3]);
  });

  it("does not see a picture of another camera because an alert of its own shows it", async () => {
    const { call, parts } = await open({ running });
    const { id } = await parts.artifacts.put(JPEG, {
      mimeType: "image/jpeg",
      namespace: "t",
      sources: ["camera:dock"],
    });
    const at = "2026-01-01T10:00:00.000Z";
    parts.raise({
      id: "al_1",
      severity: "info",
      timestamp: at,
      camera: "street",
      text: "A cat.",
      picture: id,
      held_back: 0,
    });
    expect((await call(`GET /api/artifacts/${id}`, "viewer")).statusCode).toBe(404);
    expect((await call(`GET /api/artifacts/${id}`, "owner")).statusCode).toBe(200);
  });

  it("keeps its right to a camera that gets another name, and has none to a new one with the old name", async () => {
    const { call, access } = await open();
    await call("PATCH /api/cameras/street", "owner", { body: { name: "road" } });
    expect(access.accounts.find("guest")?.cameras).toEqual(["road"]);
    await call("DELETE /api/cameras/road", "owner");
    expect(access.accounts.find("guest")?.cameras).toEqual([]);
  });

  it("changes nothing and does not talk to the agent, which would act as owner", async () => {
    const { call } = await open({ running });
    for (const request of ["POST /api/sessions", "DELETE /api/pipelines/pl_1", "GET /api/config"] as const) {
      const answer = await call(request, "viewer");
      expect([answer.statusCode, answer.json().error.code]).toEqual([403, "forbidden"]);
    }
  });
});

describe("a rule about pictures", () => {
  it("takes an address for its host, and nothing that fits no camera or host", async () => {
    const { call } = await open({ over: { egress: await openFakeEgress() } });
    const set = (camera: string, destination: string) =>
      call("POST /api/egress/rules", "owner", { body: { camera, destination, images: "never" } });
    const { rules } = (await set("STREET", "HTTPS://Api.Example.com/v1")).json();
    expect(rules).toMatchObject([{ camera: "street", destination: "api.example.com" }]);
    const misspelt = await set("stret", "api.example.com");
    expect([misspelt.statusCode, misspelt.json().error.message]).toEqual([404, expect.stringContaining("street")]);
    expect((await set("street", "not a host")).statusCode).toBe(422);
  });
});

describe("the audit log", () => {
  it("tells who changed what, who was refused, and what the agent did for whom", async () => {
    const client = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === "tool_result"
        ? { text: "Done." }
        : { toolCalls: [{ name: "stop_pipeline", args: { pipeline_id: "pl_1" } }] },
    );
    const { call, access } = await open({ client, running: [fakeStatus()] });
    await call("DELETE /api/pipelines/pl_1", "viewer");
    const { id } = (await call("POST /api/sessions", "owner")).json();
    const headers = { accept: "text/event-stream" };
    await call(`POST /api/sessions/${id}/messages`, "owner", { headers, body: { text: "Stop street-count" } });
    await call("POST /api/login", "nobody", { body: { name: "secret typed as name", password: "x" } });
    await call("GET /api/cameras", "owner");
    const [login, message, session, refused] = access.audit.list(10);
    expect(access.audit.list(10)).toHaveLength(4);
    expect(login).toMatchObject({ who: "unknown", request: "POST /api/login", status: 401 });
    expect(message).toMatchObject({ who: "local", role: "owner", run_id: expect.any(String), status: 200 });
    expect(session).toMatchObject({ request: "POST /api/sessions", status: 201, client: "127.0.0.1" });
    expect(refused).toMatchObject({ who: "guest", role: "viewer", request: "DELETE /api/pipelines/pl_1", status: 403 });
    const shown = (await call("GET /api/audit", "program")).json();
    expect(shown[1].changes).toMatchObject([{ kind: "stopped", what: "pipeline", id: "pl_1" }]);
  });
});

describe("accounts over the API", () => {
  it("are added, changed and removed by an owner; passwords are in no answer", async () => {
    const { call } = await open();
    const body = { name: "ben", password: "a long password", cameras: ["street"] };
    const added = await call("POST /api/accounts", "owner", { body });
    expect([added.statusCode, added.json()]).toMatchObject([201, { name: "ben", role: "viewer", cameras: ["street"] }]);
    expect((await call("POST /api/accounts", "owner", { body })).statusCode).toBe(409);
    await call("PATCH /api/accounts/ben", "owner", { body: { cameras: null } });
    const listed = await call("GET /api/accounts", "owner");
    expect(listed.json()[1]).toMatchObject({ name: "ben", cameras: null });
    expect(listed.body).not.toMatch(/password|scrypt/);
    expect((await call("DELETE /api/accounts/ben", "owner")).statusCode).toBe(200);
    expect((await call("DELETE /api/accounts/ben", "owner")).statusCode).toBe(404);
  });

  it.each([
    [{ name: "ben", password: "short" }, 400],
    [{ name: "../ben", password: "a long password" }, 400],
    [{ name: "ben", password: "a long password", role: "admin" }, 400],
    [{ name: "ben", password: "a long password", admin: true }, 400],
    [{ name: "ben", password: "a long password", cameras: ["stret"] }, 422],
  ])("are refused when they make no sense: %j", async (body, status) => {
    const { call } = await open();
    expect((await call("POST /api/accounts", "owner", { body })).statusCode).toBe(status);
  });

  it("lists the browsers that are signed in and signs one out", async () => {
    const { call } = await open();
    const logins = (await call("GET /api/logins", "owner")).json();
    expect(logins).toHaveLength(2);
    expect(JSON.stringify(logins)).not.toContain("hash");
    const guest = logins.find(({ name }: { name: string }) => name === "guest");
    expect(logins.find(({ current }: { current: boolean }) => current).name).toBe("local");
    expect((await call(`DELETE /api/logins/${guest.id}`, "owner")).statusCode).toBe(200);
    expect((await call("GET /api/me", "viewer")).statusCode).toBe(401);
    expect((await call("DELETE /api/logins/none", "owner")).statusCode).toBe(404);
  });
});

describe("requests that ask too much", () => {
  it("are 429 with Retry-After once a client has sent too many", async () => {
    const { call } = await open({ over: { limits: { burst: 3, perSecond: 1 } } });
    const statuses: number[] = [];
    for (let time = 0; time < 4; time += 1) statuses.push((await call("GET /healthz", "nobody")).statusCode);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await call("GET /healthz", "nobody")).headers["retry-after"]).toBe("1");
  });

  it.each([65, 100_000])("are 400 when their JSON is nested %i levels deep", async (levels) => {
    const { call } = await open();
    const body = `{"text":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    const headers = { "content-type": "application/json" };
    const answer = await call("POST /api/sessions/s/messages", "owner", { headers, body });
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, "invalid_body"]);
    expect(answer.json().error.message).toContain("64 levels");
  });

  it("are understood where brackets stand in a text", async () => {
    const { call } = await open();
    const { id } = (await call("POST /api/sessions", "owner")).json();
    const body = { text: `"[${"[".repeat(200)}` };
    expect((await call(`POST /api/sessions/${id}/messages`, "owner", { body })).statusCode).toBe(200);
  });

  it("are 400 with the key that nobody knows", async () => {
    const { call } = await open();
    const { id } = (await call("POST /api/sessions", "owner")).json();
    const answer = await call(`POST /api/sessions/${id}/messages`, "owner", { body: { text: "hello", imges: ["a"] } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.message).toContain("imges");
    const infer = await call("POST /api/infer", "owner", { body: { image: "street", modell: "coco/3" } });
    expect([infer.statusCode, infer.json().error.message]).toEqual([400, expect.stringContaining("modell")]);
  });

  it("are 404 when they ask for events of a camera that never was", async () => {
    const { call, parts } = await open();
    const event = {
      id: "ev_1",
      kind: "appeared",
      camera: "old",
      pipeline_id: "p",
      frame_number: 1,
      text: "A cat.",
    } as const;
    parts.happen({ ...event, timestamp: "2026-01-01T10:00:00.000Z" });
    expect((await call("GET /api/events?camera=old", "owner")).json()).toHaveLength(1);
    expect((await call("GET /api/events?camera=street", "owner")).json()).toEqual([]);
    const unknown = await call("GET /api/events?camera=nosuch", "owner");
    expect([unknown.statusCode, unknown.json().error.message]).toEqual([404, expect.stringContaining("street, dock")]);
    expect((await call("GET /api/events?camera=old", "viewer")).statusCode).toBe(404);
  });

  it("are 409 for the second of two messages at once", async () => {
    const gate = Promise.withResolvers<string>();
    const client = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === "tool_result" ? { text: "Done." } : { toolCalls: [{ name: "wait" }] },
    );
    const { call } = await open({ client, tools: [testTool("wait", () => gate.promise)] });
    const { id } = (await call("POST /api/sessions", "owner")).json();
    const say = async () => {
      const answer = await call(`POST /api/sessions/${id}/messages`, "owner", { body: { text: "Wait." } });
      // The first goes on until the others were answered.
      if (answer.statusCode === 409) gate.resolve("waited");
      return answer;
    };
    const answers = await Promise.all([say(), say()]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
  });

  it("may name a content type where there is nothing to send", async () => {
    const { call } = await open({ running: [fakeStatus()] });
    const headers = { "content-type": "application/json" };
    expect((await call("DELETE /api/pipelines/pl_1", "owner", { headers })).statusCode).toBe(200);
    expect((await call("POST /api/watches", "owner", { headers })).statusCode).toBe(400);
  });
});
