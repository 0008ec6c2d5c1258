import { createServer, request } from "node:http";
import { createMemorySessionStore, createRedactor, type Tool } from "@vision-agent/agent-core";
import { readSse, type SseMessage } from "@vision-agent/agent-core/protocols";
import type { RunEvent } from "@vision-agent/protocol";
import type { LiveFrame } from "@vision-agent/vision-engine";
import { afterEach, describe, expect, it } from "vitest";
import { fakePicture, fakeResult, fakeStatus } from "../../testing/fake-app.ts";
import { type FakePartsOptions, fakeParts } from "../../testing/fake-http-parts.ts";
import { createHttpServer } from "./create-http-server.ts";
import type { HttpServer } from "./http-parts.ts";
import { ListenError, listen } from "./listen.ts";

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function app(options: FakePartsOptions = {}) {
  const parts = fakeParts(options);
  const server = await createHttpServer(parts);
  servers.push(server);
  const address = await listen(server, { host: "127.0.0.1", port: 0 });
  const post = (path: string, body?: object, accept = "application/json") =>
    fetch(`${address}${path}`, {
      method: "POST",
      headers: { accept, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const begin = async (text: string, query = "") => {
    const { id } = (await (await post("/api/sessions")).json()) as { id: string };
    return { id, response: await post(`/api/sessions/${id}/messages${query}`, { text }, "text/event-stream") };
  };
  return { parts, address, post, begin };
}

describe("a message as a stream", () => {
  it("S000-3.1.1 SC-5 reports the run from its start to its end, each event with an id", async () => {
    const { begin } = await app();
    const { response, id } = await begin("What do you see on street?");
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(response.headers.get("content-security-policy")).toContain("default-src");
    const messages = await all(response);
    const events = messages.map(({ data }) => data as unknown as RunEvent);
    expect(messages.map(({ event }) => event)).toEqual(events.map(({ type }) => type));
    expect(events[0]).toMatchObject({ type: "run_started", session_id: id, speaker: "offline interpreter" });
    expect(events.find(({ type }) => type === "tool_call")).toMatchObject({
      tool: "capture_frame",
      arguments: { camera: "street" },
    });
    const result = events.find((event) => event.type === "tool_result");
    const text = events.flatMap((event) => (event.type === "text_delta" ? [event.text] : [])).join("");
    expect(events.at(-1)).toMatchObject({
      type: "run_ended",
      outcome: { status: "finished", text, images: result?.images },
    });
    expect(messages.every(({ id: eventId }) => /^run_\d+:\d+$/.test(eventId ?? ""))).toBe(true);
  });

  it("SC-6 speaks the simple dialect", async () => {
    const { begin } = await app();
    const names = (await all((await begin("What is running?", "?dialect=simple")).response)).map(({ event }) => event);
    expect(names.filter((name) => name !== "token")).toEqual(["start", "tool_start", "tool_complete", "done"]);
    expect(names).toContain("token");
  });

  it("SC-6 speaks the dialect of the AI SDK's user interfaces", async () => {
    const { begin } = await app();
    const { response } = await begin("What is running?", "?dialect=ui");
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    const lines = (await response.text())
      .split("\n")
      .flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
    expect(lines.at(-1)).toBe("[DONE]");
    const types = lines.slice(0, -1).map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types[0]).toBe("start");
    expect(types).toEqual(expect.arrayContaining(["tool-input-available", "tool-output-available", "text-delta"]));
    expect(types.at(-1)).toBe("finish");
  });

  it("resumes after the last event that was seen, and still names every picture", async () => {
    const { begin, address } = await app();
    const messages = await all((await begin("What do you see on street?")).response);
    const seen = messages.findIndex(({ event }) => event === "tool_result");
    const run = (messages[seen]?.id ?? "").split(":")[0];
    const headers = { "last-event-id": messages[seen]?.id ?? "" };
    const rest = await all(await fetch(`${address}/api/runs/${run}/events`, { headers }));
    expect(rest.at(-1)).toEqual(messages.at(-1));
    expect(rest.some(({ event }) => event === "tool_result")).toBe(false);
    const after = await all(await fetch(`${address}/api/runs/${run}/events?after=${messages[seen]?.id}`));
    expect(after).toEqual(rest);
    expect((await fetch(`${address}/api/runs/${run}/events?after=yesterday`)).status).toBe(400);
    const ofAnother = { headers: { "last-event-id": "run_another:3" } };
    expect((await fetch(`${address}/api/runs/${run}/events`, ofAnother)).status).toBe(400);
  });

  it("goes on when the listener leaves, and says which run to attach to", async () => {
    const gate = Promise.withResolvers<string>();
    const { begin, address, post } = await app({ tools: [gatedTool(gate.promise)] });
    const { id, response } = await begin("What is running?");
    await response.body?.cancel();
    const busy = await (await fetch(`${address}/api/sessions/${id}`)).json();
    expect(busy).toMatchObject({ active_run: expect.stringMatching(/^run_/) });
    expect((await post(`/api/sessions/${id}/messages`, { text: "again" })).status).toBe(409);
    gate.resolve("No pipeline is running.");
    const rest = await all(await fetch(`${address}/api/runs/${(busy as { active_run: string }).active_run}/events`));
    expect(rest.at(-1)?.data).toMatchObject({ type: "run_ended", outcome: { status: "finished" } });
  });

  it("tells a run again after the server was started anew, from the transcript", async () => {
    const sessions = createMemorySessionStore();
    const { begin } = await app({ sessions });
    const { response } = await begin("What do you see on street?");
    const before = await all(response);
    const [run] = (before[0]?.id ?? "").split(":");
    const { address } = await app({ sessions });
    const told = await all(await fetch(`${address}/api/runs/${run}/events`));
    const kinds = (events: typeof told) => [...new Set(events.map(({ event }) => event))];
    expect(kinds(told)).toEqual(kinds(before));
    expect(told.at(-1)?.data).toMatchObject({ type: "run_ended", outcome: { status: "finished" } });
    const headers = { "last-event-id": before.at(-2)?.id ?? "" };
    const rest = await all(await fetch(`${address}/api/runs/${run}/events`, { headers }));
    expect(rest.at(-1)?.event).toBe("run_ended");
    expect((await fetch(`${address}/api/runs/run_none/events`)).status).toBe(404);
  });

  it("cancels and steers", async () => {
    const { begin, address, post } = await app({ tools: [gatedTool(new Promise(() => undefined))] });
    const { id, response } = await begin("What is running?");
    const { active_run: run } = (await (await fetch(`${address}/api/sessions/${id}`)).json()) as { active_run: string };
    expect((await post(`/api/runs/${run}/steer`, { text: "hurry" })).status).toBe(202);
    expect((await post(`/api/runs/${run}/cancel`)).status).toBe(200);
    expect((await all(response)).at(-1)?.data).toMatchObject({ type: "run_ended", outcome: { status: "cancelled" } });
    expect((await post(`/api/runs/${run}/steer`, { text: "hurry" })).status).toBe(409);
  });
});

describe("the live view", () => {
  it("gives before each picture what was found in that very picture", async () => {
    const { parts, address } = await app();
    const leave = new AbortController();
    const response = await fetch(`${address}/api/cameras/street/live?with=results`, { signal: leave.signal });
    expect(response.headers.get("content-type")).toMatch(/^multipart\/mixed; boundary=/);
    parts.pipelines.show(frame(1, 3));
    const { value } = (await response.body?.getReader().read()) ?? {};
    const text = Buffer.from(value ?? []).toString("latin1");
    const [json, jpeg] = text.split(/--vision-agent-frame\r\n/).slice(1);
    const [head = "", body = ""] = json?.split("\r\n\r\n") ?? [];
    expect(JSON.parse(body)).toMatchObject({ frame: { frame_number: 1 } });
    expect(head).toContain(`content-length: ${body.trimEnd().length}`);
    expect(jpeg).toContain("content-type: image/jpeg\r\ncontent-length: 3\r\n\r\n");
    leave.abort();
  });

  it("ends the view when the viewer leaves", async () => {
    const { parts, address } = await app();
    const leave = new AbortController();
    const response = await fetch(`${address}/api/cameras/street/live`, { signal: leave.signal });
    expect(response.headers.get("content-type")).toMatch(/^multipart\/x-mixed-replace/);
    expect(parts.pipelines.viewers()).toBe(1);
    leave.abort();
    await until(() => parts.pipelines.viewers() === 0);
  });

  it("skips frames while the socket is full and then sends the newest", async () => {
    const { parts, address } = await app();
    const frames: number[] = [];
    await new Promise<void>((done, fail) => {
      const viewer = request(`${address}/api/cameras/street/live?with=results`, (response) => {
        // Nobody reads until everything was shown, so the socket is full after a few of these.
        for (let number = 1; number <= 200; number += 1) parts.pipelines.show(frame(number, 200_000));
        let text = "";
        response.setEncoding("latin1").on("data", (chunk: string) => {
          text += chunk;
          for (const match of text.matchAll(/"frame_number":(\d+)/g)) frames.push(Number(match[1]));
          text = text.slice(-40).replace(/"frame_number":\d+/, "");
          if (frames.at(-1) === 200) {
            viewer.destroy();
            done();
          }
        });
      });
      viewer.on("error", fail).end();
    });
    expect(new Set(frames).size).toBeLessThan(100);
    expect(frames.at(-1)).toBe(200);
  });

  it("takes a snapshot from a view of its own when nothing runs there", async () => {
    const { parts, address } = await app();
    const picture = fetch(`${address}/api/cameras/dock/snapshot.jpg`);
    await until(() => parts.pipelines.viewers() === 1);
    parts.pipelines.show(frame(1, 3));
    expect((await (await picture).arrayBuffer()).byteLength).toBe(3);
    expect(parts.pipelines.viewers()).toBe(0);
  });
});

describe("the event stream of the app", () => {
  it("S000-3.1.2 begins with the pipelines, then reports events, alerts and changes at most once a second", async () => {
    const { parts, address } = await app({ running: [fakeStatus()] });
    const leave = new AbortController();
    const response = await fetch(`${address}/api/stream`, { signal: leave.signal });
    for (let change = 0; change < 20; change += 1) parts.pipelines.change();
    parts.happen({
      id: "ev_1",
      kind: "appeared",
      timestamp: "2026-01-01T10:00:00.000Z",
      camera: "street",
      pipeline_id: "pl_1",
      frame_number: 7,
      text: "A person appeared.",
    });
    parts.raise({
      id: "al_1",
      severity: "info",
      timestamp: "2026-01-01T10:00:00.000Z",
      camera: "street",
      text: "A person appeared.",
      event_id: "ev_1",
      held_back: 0,
    });
    const names: (string | undefined)[] = [];
    for await (const { event } of readSse(response.body as AsyncIterable<Uint8Array>)) {
      names.push(event);
      if (names.length === 4) break;
    }
    expect(names).toEqual(["pipelines", "scene_event", "alert", "pipelines"]);
    leave.abort();
  });

  it("tells an owner that something waits for an answer", async () => {
    const { address, begin } = await app();
    const leave = new AbortController();
    const response = await fetch(`${address}/api/stream`, { signal: leave.signal });
    const run = await begin("What is running?");
    const names: (string | undefined)[] = [];
    for await (const { event } of readSse(response.body as AsyncIterable<Uint8Array>)) {
      names.push(event);
      if (event === "pauses") break;
    }
    expect(names).toContain("pauses");
    leave.abort();
    await run.response.text();
  });

  it("VI-13 tells no secret, as little as the stream of a run", async () => {
    const redact = createRedactor({ secrets: ["planted-secret"] }).display;
    const { parts, address, begin } = await app({
      running: [fakeStatus({ name: "planted-secret" })],
      over: { redact, speaker: "planted-secret" },
    });
    const leave = new AbortController();
    const response = await fetch(`${address}/api/stream`, { signal: leave.signal });
    const alert = { id: "al_1", severity: "info", timestamp: "2026-01-01T10:00:00.000Z", camera: "street" } as const;
    parts.raise({ ...alert, text: "The key is planted-secret.", held_back: 0 });
    const told: string[] = [];
    for await (const { data } of readSse(response.body as AsyncIterable<Uint8Array>)) {
      told.push(JSON.stringify(data));
      if (told.length === 2) break;
    }
    leave.abort();
    const run = await begin("What is running?");
    told.push(await run.response.text());
    for (const text of told) expect(text).toContain("<secret>");
    expect(told.join()).not.toContain("planted-secret");
  });
});

describe("listening", () => {
  it("names the port that is taken and the flag for another", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((ready) => taken.once("listening", ready));
    const { port } = taken.address() as { port: number };
    const server = await createHttpServer(fakeParts());
    servers.push(server);
    const refused = listen(server, { host: "127.0.0.1", port });
    await expect(refused).rejects.toThrow(ListenError);
    await expect(refused).rejects.toThrow(`Port ${port} is in use by another program; choose another with --port N.`);
    taken.close();
  });

  it("refuses to be reached from other machines", async () => {
    const server = await createHttpServer(fakeParts());
    servers.push(server);
    await expect(listen(server, { host: "0.0.0.0", port: 0 })).rejects.toMatchObject({ kind: "not_loopback" });
  });
});

async function all(response: Response): Promise<readonly SseMessage[]> {
  const messages: SseMessage[] = [];
  for await (const message of readSse(response.body as AsyncIterable<Uint8Array>)) messages.push(message);
  return messages;
}

/** `list_pipelines` that answers when it is let. */
function gatedTool(gate: Promise<string>): Tool {
  return {
    name: "list_pipelines",
    description: "waits",
    parameters: { type: "object" },
    execute: (_args, { signal }) =>
      Promise.race([
        gate,
        new Promise<never>((_, fail) => signal.addEventListener("abort", () => fail(signal.reason), { once: true })),
      ]),
  };
}

function frame(number: number, bytes: number): LiveFrame {
  const result = fakeResult(["person"]);
  return {
    picture: { ...fakePicture(result), jpeg: new Uint8Array(bytes) },
    result: { ...result, frame: { ...result.frame, frame_number: number } },
  };
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 400) throw new Error(`never came true: ${holds}`);
    await new Promise((wake) => setTimeout(wake, 10));
  }
}
