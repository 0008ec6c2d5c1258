import { describe, expect, it } from "vitest";
import { artifactUrl, createDashboardApi, eventPictureUrl } from "./dashboard-api.ts";

describe("createDashboardApi", () => {
  it("asks for events newest first and gives the list", async () => {
    const asked: string[] = [];
    const api = createDashboardApi(async (address) => {
      asked.push(address);
      return Response.json([]);
    });
    expect(await api.events()).toEqual([]);
    expect(asked).toEqual(["/api/events?limit=1000"]);
  });

  it("sends a message as JSON and asks for a stream", async () => {
    let sent: RequestInit | undefined;
    const api = createDashboardApi(async (_address, init) => {
      sent = init;
      return new Response("");
    });
    await api.postMessage("s 1", { text: "hello" }, new AbortController().signal);
    expect(sent).toMatchObject({ method: "POST", body: '{"text":"hello"}' });
    expect(sent?.headers).toEqual({ "Content-Type": "application/json", Accept: "text/event-stream" });
  });

  it("names the last event when it joins a run again", async () => {
    const headers: unknown[] = [];
    const api = createDashboardApi(async (_address, init) => {
      headers.push(init?.headers);
      return new Response("");
    });
    const { signal } = new AbortController();
    await api.runEvents("r1", undefined, signal);
    await api.runEvents("r1", "r1:4", signal);
    expect(headers[0]).not.toHaveProperty("Last-Event-ID");
    expect(headers[1]).toMatchObject({ "Last-Event-ID": "r1:4" });
  });

  it("gives the server's own words when it refuses", async () => {
    const body = { error: { code: "busy", message: "A turn goes on.", hint: "Steer it." } };
    const api = createDashboardApi(async () => Response.json(body, { status: 409 }));
    await expect(api.cameras()).rejects.toMatchObject({
      kind: "refused",
      status: 409,
      message: "A turn goes on.",
      hint: "Steer it.",
    });
  });

  it("tells an answer that is no JSON from no answer", async () => {
    const odd = createDashboardApi(async () => new Response("<html>", { status: 502 }));
    await expect(odd.cameras()).rejects.toMatchObject({ kind: "malformed", status: 502 });
    const html = createDashboardApi(async () => new Response("<html>"));
    await expect(html.cameras()).rejects.toMatchObject({ kind: "malformed", status: 200 });
    const silent = createDashboardApi(() => Promise.reject(new TypeError("fetch failed")));
    await expect(silent.cameras()).rejects.toMatchObject({ kind: "unreachable" });
  });

  it("lets an abort through as it is", async () => {
    const api = createDashboardApi(async (_address, init) => {
      init?.signal?.throwIfAborted();
      return new Response("");
    });
    await expect(api.live("street", AbortSignal.abort(new Error("left")))).rejects.toThrow("left");
  });
});

describe("addresses", () => {
  it("escapes what people may have named", () => {
    expect(artifactUrl("a/b", 640)).toBe("/api/artifacts/a%2Fb?width=640");
    expect(artifactUrl("a")).toBe("/api/artifacts/a");
    expect(eventPictureUrl("e 1")).toBe("/api/events/e%201/picture.jpg");
  });
});
