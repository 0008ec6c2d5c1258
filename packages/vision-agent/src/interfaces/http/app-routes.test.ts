import { createAskUserTool } from "@vision-agent/agent-core";
import { scriptedModel, testTool } from "@vision-agent/agent-core/testing";
import type { PipelineStatus, SceneEvent } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { fakeStatus } from "../../testing/fake-app.ts";
import { type FakePartsOptions, fakeParts } from "../../testing/fake-http-parts.ts";
import { createHttpServer } from "./create-http-server.ts";
import type { HttpServer } from "./http-parts.ts";

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

describe("receipts", () => {
  /** A model that claims more than it does, in a language of its own. */
  const boasting = () =>
    scriptedModel(({ messages }) => {
      if (JSON.stringify(messages).includes("hello")) return { text: "Hi." };
      if (messages.at(-1)?.role === "tool_result") return { text: "Alles gelöscht, und die Wache auch." };
      if (JSON.stringify(messages).includes("Liste")) return { toolCalls: [{ name: "list_pipelines" }] };
      return { toolCalls: [{ name: "stop_pipeline", args: { pipeline_id: "pl_1" } }] };
    });

  it("say what a run changed, at its end, in the conversation and in the ledger; the model's words stay", async () => {
    const { call, say } = await app({ client: boasting(), running: [fakeStatus()] });
    const { id, json } = await say("Stop alles");
    const effect = { kind: "stopped", what: "pipeline", id: "pl_1", camera: "street", link: "/" };
    const receipt = { effects: [{ ...effect, text: "Stopped pipeline street-count on street." }] };
    expect(json()).toMatchObject({ text: "Alles gelöscht, und die Wache auch.", receipt });
    const { messages } = (await call("GET", `/api/sessions/${id}`)).json();
    expect(messages.at(-1)).toMatchObject({ receipt, steps: [{ data: { stopped: [{ pipeline_id: "pl_1" }] } }] });
    const ledger = (await call("GET", `/api/changes?session=${id}`)).json();
    expect(ledger.changes).toMatchObject([{ ...effect, session_id: id, tool: "stop_pipeline" }]);
    expect((await call("GET", "/api/changes?until=2026-01-01T00:00:00Z")).json()).toEqual({ changes: [] });
  });

  it("are empty when tools ran and changed nothing, and left out after small talk", async () => {
    const { say } = await app({ client: boasting(), running: [fakeStatus()] });
    expect((await say("Liste")).json().receipt).toEqual({ effects: [] });
    expect((await say("hello")).json()).not.toHaveProperty("receipt");
  });
});

describe("pauses", () => {
  it("are listed with what waits, and answered from here", async () => {
    const { call, say } = await app(asking());
    const { json } = await say("Close the door.");
    expect(json()).toMatchObject({ status: "paused", reason: "May I close it?", pause_id: expect.any(String) });
    const pauses = (await call("GET", "/api/pauses")).json();
    expect(pauses).toMatchObject([
      { id: json().pause_id, kind: "approval", prompt: "May I close it?", calls: [{ tool: "close_door" }] },
    ]);
    expect(JSON.stringify(pauses)).not.toContain("token");
    const answer = await call("POST", `/api/pauses/${pauses[0].id}`, { decision: "approve" });
    expect(answer.json()).toMatchObject({ status: "finished", text: "Done: closed." });
    expect((await call("GET", "/api/pauses")).json()).toEqual([]);
    const again = await call("POST", `/api/pauses/${pauses[0].id}`, { decision: "approve" });
    expect([again.status, again.json().error.code]).toEqual([404, "not_found"]);
  });

  it("are declined, and the model hears it", async () => {
    const { call, say } = await app(asking());
    const { json } = await say("Close the door.");
    const body = { decision: "deny", text: "Bob is outside." };
    const answer = await call("POST", `/api/pauses/${json().pause_id}`, body);
    expect(answer.json().text).toMatch(/^Done: .*Bob is outside\./);
  });

  it("take a yes or no, and a new message takes their place", async () => {
    const yes = await app(asking());
    const { id } = await yes.say("Close the door.");
    const said = await yes.call("POST", `/api/sessions/${id}/messages`, { text: "Yes, go ahead." });
    expect(said.json().text).not.toBe("Done: closed.");
    const plain = await app(asking());
    const asked = await plain.say("Close the door.");
    const answered = await plain.call("POST", `/api/sessions/${asked.id}/messages`, { text: "yes!" });
    expect(answered.json().text).toBe("Done: closed.");
  });

  it("take the words of the person as the answer to a question, and only a choice where there are choices", async () => {
    const { call, say } = await app(questioning());
    const { id, json } = await say("Paint it.");
    const wrong = await call("POST", `/api/pauses/${json().pause_id}`, { decision: "answer", text: "pink" });
    expect([wrong.status, wrong.json().error.message]).toEqual([422, "Choose one of: red, blue."]);
    const unfit = await call("POST", `/api/pauses/${json().pause_id}`, { decision: "approve" });
    expect(unfit.status).toBe(422);
    const answered = await call("POST", `/api/sessions/${id}/messages`, { text: "Blue" });
    expect(answered.json().text).toContain("blue");
  });
});

describe("cameras", () => {
  it("are added, changed and removed, and no password comes back", async () => {
    const { call } = await app();
    const added = await call("POST", "/api/cameras", {
      name: "yard",
      source: "rtsp://me:hidden@10.0.0.9/s",
      notes: "n",
    });
    expect([added.status, added.json()]).toEqual([
      201,
      { name: "yard", source: "rtsp://10.0.0.9/s", location: "", notes: "n" },
    ]);
    const changed = await call("PATCH", "/api/cameras/yard", { location: "Back", name: "garden" });
    expect(changed.json()).toMatchObject({ name: "garden", location: "Back", notes: "n" });
    const list = await call("GET", "/api/cameras");
    expect(list.json().map(({ name }: { name: string }) => name)).toEqual(["street", "dock", "garden"]);
    expect(list.response.body).not.toMatch(/hidden|password/);
    expect((await call("DELETE", "/api/cameras/garden")).status).toBe(200);
    expect((await call("GET", "/api/cameras/garden")).status).toBe(404);
  });

  it("are refused with a reason", async () => {
    const { call } = await app({ running: [fakeStatus()] });
    const codes = await Promise.all([
      call("POST", "/api/cameras", { name: "street", source: "sim://street" }),
      call("POST", "/api/cameras", { name: "a/b", source: "sim://street" }),
      call("PATCH", "/api/cameras/nobody", { notes: "x" }),
      call("DELETE", "/api/cameras/street"),
    ]);
    expect(codes.map(({ status, json }) => [status, json().error.code])).toEqual([
      [409, "taken"],
      [422, "invalid"],
      [404, "not_found"],
      [409, "in_use"],
    ]);
  });

  it("are refused where they can give no picture, and taken where one may come", async () => {
    const message = "There is no file or folder /nowhere.mp4.";
    const probe = async () => ({ ok: false, reason: "not_found", message }) as const;
    const { call } = await app({ over: { probe } });
    const refused = await call("POST", "/api/cameras", { name: "film", source: "/nowhere.mp4" });
    expect([refused.status, refused.json().error.message]).toEqual([422, message]);
    expect((await call("PATCH", "/api/cameras/dock", { source: "/nowhere.mp4" })).status).toBe(422);
    expect((await call("POST", "/api/cameras", { name: "gate", source: "rtsp://gate.local/1" })).status).toBe(201);
    expect((await call("GET", "/api/cameras")).json()).toHaveLength(3);
  });

  it("take what runs on them along to a new name, and when they are removed by force", async () => {
    const { call } = await app({ running: [fakeStatus()] });
    const watch = { words: "tell me", cameras: ["street"], classes: ["person"], condition: { kind: "appears" } };
    const { id } = (await call("POST", "/api/watches", watch)).json();
    expect((await call("PATCH", "/api/cameras/street", { name: "road" })).json().name).toBe("road");
    expect((await call("GET", "/api/pipelines")).json().map((one: PipelineStatus) => one.video_reference)).toEqual([
      "road",
      "road",
    ]);
    expect((await call("GET", `/api/watches/${id}`)).json()).toMatchObject({
      cameras: ["road"],
      state: { kind: "on" },
    });
    expect((await call("DELETE", "/api/cameras/road")).json().error.message).toBe(
      'road is used by the watch "tell me", street-count.',
    );
    expect((await call("DELETE", "/api/cameras/road?force=true")).status).toBe(200);
    expect((await call("GET", "/api/pipelines")).json()).toEqual([]);
    expect((await call("GET", "/api/watches")).json()).toEqual([]);
    await call("POST", "/api/undo", {});
    expect((await call("GET", "/api/cameras/road")).status).toBe(200);
    expect((await call("GET", "/api/pipelines")).json()).toHaveLength(2);
    expect((await call("GET", "/api/watches")).json()).toMatchObject([{ id, cameras: ["road"] }]);
    await call("POST", "/api/undo", {});
    expect((await call("GET", `/api/watches/${id}`)).json()).toMatchObject({ cameras: ["street"] });
  });
});

describe("undo", () => {
  const WATCH = { words: "tell me", cameras: ["street"], classes: ["person"], condition: { kind: "appears" } };
  const ZONE = {
    kind: "zone",
    points: [
      [0, 0],
      [1, 0],
      [1, 1],
    ],
  };

  it.each<[string, readonly (readonly ["POST" | "PUT" | "PATCH" | "DELETE", string, object?])[], string]>([
    ["a watch that was created", [["POST", "/api/watches", WATCH]], "/api/watches"],
    ["a mode", [["PUT", "/api/mode", { mode: "night" }]], "/api/mode"],
    ["a zone", [["PUT", "/api/cameras/street/places/gate", ZONE]], "/api/cameras/street/places"],
    ["a camera that was added", [["POST", "/api/cameras", { name: "shed", source: "sim://street" }]], "/api/cameras"],
    ["a note about a camera", [["PATCH", "/api/cameras/dock", { notes: "wet" }]], "/api/cameras"],
    ["masks", [["PATCH", "/api/cameras/dock", { masks: [ZONE.points] }]], "/api/cameras"],
    ["a camera that was removed", [["DELETE", "/api/cameras/dock"]], "/api/cameras"],
    ["a camera that was renamed", [["PATCH", "/api/cameras/dock", { name: "bay" }]], "/api/cameras"],
    ["a pipeline that was paused", [["POST", "/api/pipelines/pl_1/pause"]], "/api/pipelines"],
    ["a pipeline that was stopped", [["DELETE", "/api/pipelines/pl_1"]], "/api/pipelines"],
  ])("takes back %s, and does it again", async (_what, calls, where) => {
    const { call } = await app({ running: [fakeStatus()] });
    const read = async () => {
      const found = (await call("GET", where)).json();
      const { since: _, ...rest } = found;
      return Array.isArray(found) ? found.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))) : rest;
    };
    const before = await read();
    for (const [method, path, body] of calls) expect((await call(method, path, body)).status).toBeLessThan(300);
    const after = await read();
    expect(after).not.toEqual(before);
    expect((await call("GET", "/api/undo")).json().steps).toHaveLength(1);
    expect((await call("POST", "/api/undo", {})).json()).toMatchObject({ effects: [{}] });
    expect(await read()).toEqual(before);
    expect((await call("POST", "/api/undo", { redo: true })).status).toBe(200);
    expect(await read()).toEqual(after);
  });

  it("brings a watch back under its own id, muted and off as it was", async () => {
    const { call } = await app();
    const { id } = (await call("POST", "/api/watches", WATCH)).json();
    const until = new Date(Date.now() + 3600_000).toISOString();
    await call("PATCH", `/api/watches/${id}`, { muted_until: until });
    await call("POST", `/api/watches/${id}/pause`);
    await call("DELETE", `/api/watches/${id}`);
    await call("POST", "/api/undo", {});
    expect((await call("GET", `/api/watches/${id}`)).json()).toMatchObject({ enabled: false, muted_until: until });
    await call("POST", "/api/undo", {});
    expect((await call("GET", `/api/watches/${id}`)).json()).toMatchObject({ enabled: true, muted_until: until });
    await call("POST", "/api/undo", {});
    expect((await call("GET", `/api/watches/${id}`)).json()).not.toHaveProperty("muted_until");
  });

  it("refuses to take away a camera that something uses by now", async () => {
    const { call } = await app();
    await call("POST", "/api/cameras", { name: "shed", source: "sim://street" });
    const [step] = (await call("GET", "/api/undo")).json().steps;
    await call("POST", "/api/watches", { ...WATCH, cameras: ["shed"] });
    const refused = await call("POST", "/api/undo", { step: step.id });
    expect([refused.status, refused.json().error.message]).toEqual([
      409,
      'shed is used by the watch "tell me". Remove these first; nothing was undone.',
    ]);
  });

  it("says when there is nothing to undo", async () => {
    const { call } = await app();
    const { status, json } = await call("POST", "/api/undo", {});
    expect([status, json().error.message]).toEqual([404, "There is nothing to undo from the last 24 hours."]);
  });
});

describe("watches", () => {
  const WATCH = { words: "tell me", cameras: ["street"], classes: ["person"], condition: { kind: "appears" } };

  it("are made, listed, paused, resumed and removed", async () => {
    const { call } = await app();
    const made = await call("POST", "/api/watches", WATCH);
    expect(made.status).toBe(201);
    expect(made.json()).toMatchObject({ enabled: true, cooldown_seconds: 30, severity: "info" });
    const at = `/api/watches/${made.json().id}`;
    expect((await call("POST", `${at}/pause`)).json().enabled).toBe(false);
    expect((await call("POST", `${at}/resume`)).json().enabled).toBe(true);
    expect((await call("GET", "/api/watches")).json()).toHaveLength(1);
    expect((await call("DELETE", at)).status).toBe(200);
    expect((await call("GET", at)).status).toBe(404);
  });

  it("are changed in place, muted, and refused twice", async () => {
    const { call } = await app();
    const { id } = (await call("POST", "/api/watches", WATCH)).json();
    expect((await call("POST", "/api/watches", WATCH)).status).toBe(409);
    const changed = await call("PATCH", `/api/watches/${id}`, { cooldown_seconds: 5, days: ["mon"] });
    expect(changed.json()).toMatchObject({ id, cooldown_seconds: 5, days: ["mon"], severity: "info" });
    expect((await call("PATCH", `/api/watches/${id}`, { days: null })).json()).not.toHaveProperty("days");
    const muted_until = "2999-01-01T00:00:00.000Z";
    expect((await call("PATCH", `/api/watches/${id}`, { muted_until })).json().state).toMatchObject({ kind: "muted" });
    expect((await call("PATCH", `/api/watches/${id}`, { shade: 1 })).status).toBe(400);
    expect((await call("PATCH", "/api/watches/nothing", {})).status).toBe(404);
  });

  it.each<[string, object, string]>([
    ["POST", { ...WATCH, cameras: "street" }, "cameras takes a list, not a text."],
    ["POST", { ...WATCH, condition: { kind: "stays", seconds: 1e308 } }, "condition.seconds takes at most 604800"],
    [
      "POST",
      {
        ...WATCH,
        condition: {
          kind: "enters",
          zone: [
            [0, 0],
            [1, 1],
            [1, 0],
            [0, 1],
          ],
        },
      },
      "The edges of the zone cross",
    ],
    ["POST", { ...WATCH, cooldwn_seconds: 5 }, "There is no cooldwn_seconds here"],
    ["POST", { ...WATCH, words: "\u202e\n" }, "words"],
  ])("refuse what can never work with a sentence: %s %j", async (method, body, sentence) => {
    const { call } = await app();
    const answer = await call(method as "POST", "/api/watches", body);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.json().error.message).toContain(sentence);
    expect(answer.json().error.message).not.toMatch(/Invalid|expected|received/);
    expect((await call("GET", "/api/watches")).json()).toEqual([]);
  });

  it("point out that the same is watched already, however it is written", async () => {
    const { call } = await app();
    const { id } = (await call("POST", "/api/watches", { ...WATCH, classes: ["person", "car"] })).json();
    const again = await call("POST", "/api/watches", {
      ...WATCH,
      words: "again",
      classes: ["Car", "person", "person"],
    });
    expect([again.status, again.json().error.message]).toEqual([409, expect.stringContaining(id)]);
  });

  it("speak of named places, which stay while a watch uses them", async () => {
    const { call } = await app();
    const at = "/api/cameras/street/places/yard";
    const zone = {
      kind: "zone",
      points: [
        [0, 0],
        [1, 0],
        [1, 1],
      ],
    };
    expect((await call("GET", at)).status).toBe(404);
    expect((await call("PUT", at, { kind: "zone", points: [[0, 0]] })).status).toBe(400);
    expect((await call("PUT", at, zone)).json()).toMatchObject({ name: "yard", kind: "zone" });
    const { id } = (
      await call("POST", "/api/watches", { ...WATCH, condition: { kind: "enters", zone: "yard" } })
    ).json();
    for (const spelling of [at, "/api/cameras/street/places/%20YARD"]) {
      const refused = await call("DELETE", spelling);
      expect([refused.status, refused.json().error.message]).toEqual([409, expect.stringContaining(id)]);
    }
    const moved = {
      ...zone,
      points: [
        [0, 0],
        [0.5, 0],
        [0.5, 1],
      ],
    };
    expect((await call("PUT", "/api/cameras/street/places/YARD", moved)).json()).toEqual({ name: "yard", ...moved });
    expect((await call("GET", "/api/cameras/street/places")).json()).toHaveLength(1);
    await call("DELETE", `/api/watches/${id}`);
    expect((await call("DELETE", at)).status).toBe(200);
    expect((await call("GET", "/api/cameras/street/places")).json()).toEqual([]);
    expect((await call("PUT", "/api/cameras/attic/places/yard", zone)).status).toBe(404);
  });

  it("tell in the mode that is set", async () => {
    const { call } = await app();
    expect((await call("GET", "/api/mode")).json()).toMatchObject({ mode: "home" });
    expect((await call("PUT", "/api/mode", { mode: "away" })).json()).toMatchObject({ mode: "away" });
    expect((await call("PUT", "/api/mode", { mode: "AWAY!" })).status).toBe(400);
  });

  it("names a key that it does not know, however deep it stands", async () => {
    const { call } = await app();
    const hours = { from: "22:00", to: "06:00" };
    const bodies: readonly (readonly [key: string, body: object])[] = [
      ["shade", { ...WATCH, shade: "red" }],
      ["condition.shade", { ...WATCH, condition: { ...WATCH.condition, shade: "red" } }],
      ["active_hours.zone", { ...WATCH, active_hours: { ...hours, zone: "UTC" } }],
    ];
    for (const [key, body] of bodies) {
      const { status, json } = await call("POST", "/api/watches", body);
      expect([status, json().error.code]).toEqual([400, "invalid_request"]);
      expect(json().error.message).toContain(key);
    }
    expect((await call("POST", "/api/watches", { ...WATCH, active_hours: hours })).status).toBe(201);
  });

  it("are refused for a class that nobody can find, and with a body that is none", async () => {
    const { call } = await app();
    const unknown = await call("POST", "/api/watches", { ...WATCH, classes: ["unicorn"] });
    expect([unknown.status, unknown.json().error.code]).toEqual([422, "invalid"]);
    expect((await call("POST", "/api/watches", { words: "x" })).status).toBe(400);
  });

  it("say why somebody was told or not", async () => {
    const decision = { event_id: "e", camera: "street", kind: "appeared", timestamp: TS } as const;
    const { call } = await app({
      why: async ({ camera, at = "", watch = "all" }) => ({
        camera,
        at,
        decisions: [{ ...decision, reason: `Nobody asked: ${camera} ${watch}.`, failures: [] }],
        suppressed: 3,
        // Not one of those that there are.
        watches: [{ watch_id: "w", words: "it", outcome: "not_told", gates: [{ gate: "motion", passed: false }] }],
      }),
    });
    expect((await call("GET", `/api/why?camera=STREET&at=${TS}`)).json()).toMatchObject({
      camera: "street",
      at: TS,
      decisions: [{ reason: "Nobody asked: street all." }],
      suppressed: 3,
      watches: [],
    });
    expect((await call("GET", "/api/why?camera=nobody")).status).toBe(404);
    expect((await call("GET", "/api/why?camera=street&watch=nobody")).status).toBe(404);
  });
});

describe("the other routes of the app", () => {
  it("searches memory and reads a day", async () => {
    const { call, parts } = await app();
    await parts.memory.store({ content: "The red van belongs to Bob.", category: "knowledge" });
    await parts.memory.store({ content: "A red van came.", category: "observation", camera: "street" });
    const found = (await call("GET", "/api/memory?q=red%20van&limit=5")).json();
    expect(found.passages).toHaveLength(2);
    expect(found.passages[0]).toMatchObject({ path: expect.any(String), line: expect.any(Number) });
    expect((await call("GET", "/api/memory")).json().markdown).toContain("A red van came.");
  });

  it("lists skills, jobs and usage", async () => {
    const { call, say } = await app({
      client: scriptedModel([{ text: "hi", usage: { inputTokens: 7 } }]),
      tools: [],
    });
    await say("hello");
    expect((await call("GET", "/api/skills")).json()).toEqual([{ name: "dock", description: "Watch a dock." }]);
    expect((await call("GET", "/api/skills/dock")).json().text).toBe("Look at the doors.");
    expect((await call("GET", "/api/skills/none")).status).toBe(404);
    expect((await call("GET", "/api/jobs")).json()).toEqual([]);
    expect((await call("DELETE", "/api/jobs/none")).status).toBe(404);
    const usage = (await call("GET", "/api/usage")).json();
    expect(usage.today).toMatchObject({ calls: 1, input_tokens: 7, limit_usd: 10 });
    expect(usage.sessions).toMatchObject([{ title: "hello", calls: 1 }]);
  });

  it("sets what models may cost, and refuses what is no amount", async () => {
    const { call } = await app();
    const put = (body: object) => call("PUT", "/api/usage/limit", body);
    expect((await put({ daily_usd: 4, monthly_usd: 60 })).json()).toEqual({ daily_usd: 4, monthly_usd: 60 });
    expect((await put({})).json()).toEqual({ daily_usd: 4, monthly_usd: 60 });
    expect((await put({ monthly_usd: null })).json()).toEqual({ daily_usd: 4, monthly_usd: null });
    expect((await put({ daily_usd: -1 })).status).toBe(400);
    expect((await put({ weekly_usd: 1 })).status).toBe(400);
  });

  it("shows the settings without a key", async () => {
    const { call } = await app();
    const { json, response } = await call("GET", "/api/config");
    expect(json().llm).toMatchObject({ api_key: "***", cost_limit_daily: 10 });
    expect(response.body).not.toContain("sk-planted-key");
  });

  it("gives figures to Prometheus", async () => {
    const { call } = await app({ running: [fakeStatus({ name: 'a"b' })] });
    const { response, headers } = await call("GET", "/metrics");
    expect(headers["content-type"]).toContain("text/plain");
    expect(response.body).toContain('vision_agent_pipeline_fps{pipeline_id="pl_1",name="a\\"b",camera="street"');
    expect(response.body).toMatch(/^agent_runs_started_total 0$/m);
  });

  it("finds events by their words", async () => {
    const { call, parts } = await app();
    parts.happen(event("e1", "A person crossed the line."));
    parts.happen(event("e2", "A dog appeared."));
    const found = (await call("GET", "/api/events?q=person%20line")).json();
    expect(found.map(({ id }: SceneEvent) => id)).toEqual(["e1"]);
  });
});

const TS = "2026-01-01T10:00:00.000Z";

function event(id: string, text: string): SceneEvent {
  return { id, kind: "appeared", timestamp: TS, camera: "street", pipeline_id: "pl_1", frame_number: 1, text };
}

/** A model that closes the door, and a door that asks first. */
function asking(): FakePartsOptions {
  const client = scriptedModel(({ messages }) => {
    const last = messages.at(-1)?.parts.find((part) => part.type === "tool_result");
    if (last?.type !== "tool_result") return { toolCalls: [{ name: "close_door" }] };
    return { text: `Done: ${last.content.map((part) => ("text" in part ? part.text : "")).join("")}` };
  });
  const launcher = testTool("close_door", async () => "closed.", {
    approval: async () => ({ decision: "ask", prompt: "May I close it?" }),
  });
  return { client, tools: [launcher] };
}

/** A model that wants to know a colour. */
function questioning(): FakePartsOptions {
  const ask = { name: "ask_user", args: { question: "Which colour?", choices: ["red", "blue"] } };
  const client = scriptedModel(({ messages }) => {
    const last = messages.at(-1)?.parts.find((part) => part.type === "tool_result");
    if (last?.type !== "tool_result") return { toolCalls: [ask] };
    return { text: last.content.map((part) => ("text" in part ? part.text : "")).join("") };
  });
  return { client, tools: [createAskUserTool()] };
}

async function app({
  why,
  ...options
}: FakePartsOptions & { why?: ReturnType<typeof fakeParts>["why"]["explain"] } = {}) {
  const base = fakeParts(options);
  const parts = why === undefined ? base : { ...base, why: { explain: why } };
  const server = await createHttpServer(parts);
  servers.push(server);
  const call = async (method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", url: string, body?: object) => {
    const headers = { host: "127.0.0.1:4750" };
    const response = await server.inject({ method, url, headers, ...(body && { payload: body }) });
    return { status: response.statusCode, headers: response.headers, response, json: () => response.json() };
  };
  const say = async (text: string) => {
    const { id } = (await call("POST", "/api/sessions")).json();
    return { id: id as string, ...(await call("POST", `/api/sessions/${id}/messages`, { text })) };
  };
  return { parts, call, say };
}
