import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { clientOf, hurriedClock, startLoopback } from "../testing/loopback.ts";
import { jpegOf } from "../wire/__fixtures__/pictures.ts";

const image = jpegOf(64, 48);
const nothing = { json: { image: { width: 64, height: 48 }, predictions: [], top: "", confidence: 0 } };
const info = { json: { name: "Roboflow Inference Server", version: "1.8.3", uuid: "a" } };
const ask = { modelId: "coco/3", image };

describe("the key", () => {
  it("travels in the body and as Bearer", async () => {
    const server = await startLoopback(nothing);
    await clientOf(server.url, { apiKey: "k1" }).infer(ask);
    expect(JSON.parse(server.received[0]!.body)).toMatchObject({ api_key: "k1", model_id: "coco/3" });
    expect(server.received[0]!.headers.authorization).toBe("Bearer k1");
  });

  it("travels in the query where a call reads it there", async () => {
    const server = await startLoopback({ json: { models: [] } }, { json: { status: "ok" } });
    const client = clientOf(server.url, { apiKey: "k 1" });
    await client.models.list();
    await client.workflows.validate({ version: "1.0", inputs: [], steps: [], outputs: [] });
    expect(server.received.map(({ path }) => path)).toEqual([
      "/model/registry?api_key=k+1",
      "/workflows/validate?api_key=k+1",
    ]);
    expect(server.received[1]!.body).not.toContain("k 1");
  });

  it("stays in its older place where the address has a password of its own", async () => {
    const server = await startLoopback(nothing);
    const client = clientOf(server.url.replace("//", "//me:pw@"), { apiKey: "k1" });
    await client.infer(ask);
    expect(client.url).toBe(server.url);
    expect(server.received[0]!.headers.authorization).toBe(`Basic ${Buffer.from("me:pw").toString("base64")}`);
    expect(JSON.parse(server.received[0]!.body)).toMatchObject({ api_key: "k1" });
  });

  it("never stands in an error, though the server repeats it", async () => {
    const server = await startLoopback({ status: 400, json: { message: "api_key=k1 bad, Bearer k1, k1" } });
    const failed = clientOf(server.url, { apiKey: "k1" }).infer(ask);
    await expect(failed).rejects.toMatchObject({ message: expect.not.stringContaining("k1") });
  });
});

describe("time limits", () => {
  const quick = { timeouts: { infoMs: 60 } };

  it("end a call that is never answered", async () => {
    const server = await startLoopback(() => undefined);
    await expect(clientOf(server.url, quick).info()).rejects.toMatchObject({
      kind: "timeout",
      message: `GET /info: ${server.url} did not answer within 0.06 s.`,
    });
  });

  it("end an answer that drips, however lively it looks", async () => {
    const server = await startLoopback((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 5);
      response.on("close", () => clearInterval(drip));
    });
    await expect(clientOf(server.url, quick).info()).rejects.toMatchObject({ kind: "timeout" });
  });

  it("count the wait for a free slot and the wait before a repeat", async () => {
    const server = await startLoopback(() => undefined);
    const client = clientOf(server.url, { maxConcurrent: 1 });
    const first = client.infer(ask, { timeoutMs: 300 });
    const queued = client.infer(ask, { timeoutMs: 40 });
    await expect(queued).rejects.toMatchObject({ kind: "timeout" });
    await expect(first).rejects.toMatchObject({ kind: "timeout" });
    expect(server.received).toHaveLength(1);
  });

  it("do not wait for a Retry-After that lies beyond them", async () => {
    const server = await startLoopback({
      status: 503,
      headers: { "retry-after": "3600" },
      json: { message: "loading" },
    });
    const clock = hurriedClock();
    await expect(clientOf(server.url, { clock }).infer(ask)).rejects.toMatchObject({ kind: "busy", status: 503 });
    expect(clock.waits).toEqual([]);
    expect(server.received).toHaveLength(1);
  });

  it("are longer for the first call of a model, and for the first call after it was removed", async () => {
    const server = await startLoopback(nothing, nothing, { json: { models: [] } }, nothing);
    const limits: number[] = [];
    const clock = hurriedClock();
    const client = clientOf(server.url, {
      clock: {
        ...clock,
        sleep(ms, signal) {
          limits.push(ms);
          return clock.sleep(ms, signal);
        },
      },
    });
    await client.infer(ask);
    await client.infer(ask);
    await client.models.remove("coco/3");
    await client.infer(ask);
    expect(limits).toEqual([300_000, 30_000, 30_000, 300_000]);
  });
});

describe("repeats", () => {
  it("try again after 429, 502 and 504, and take the answer that comes", async () => {
    const busy = (status: number) => ({ status, json: { message: "later" } });
    const server = await startLoopback(busy(429), busy(502), busy(504), nothing);
    const clock = hurriedClock();
    await clientOf(server.url, { clock }).infer(ask);
    expect(server.received).toHaveLength(4);
    expect(clock.waits).toEqual([400, 400, 400]);
  });

  it("honour Retry-After, and end after three times 503", async () => {
    const server = await startLoopback({
      status: 503,
      headers: { "retry-after": "1" },
      json: { message: "not ready" },
    });
    const clock = hurriedClock();
    await expect(clientOf(server.url, { clock }).infer(ask)).rejects.toMatchObject({ kind: "busy", status: 503 });
    expect(clock.waits).toEqual([1_000, 1_000, 1_600]);
  });

  it("do not happen for 503 without Retry-After", async () => {
    const server = await startLoopback({ status: 503, json: { message: "Could not connect to Roboflow API." } });
    await expect(clientOf(server.url).infer(ask)).rejects.toMatchObject({ kind: "server", status: 503 });
    expect(server.received).toHaveLength(1);
  });

  it("follow a broken connection of a call that may be sent again", async () => {
    const server = await startLoopback((response) => response.destroy(), nothing);
    await clientOf(server.url, { clock: hurriedClock() }).infer(ask);
    expect(server.received).toHaveLength(2);
  });

  it("end at once when the caller gives up while waiting", async () => {
    const server = await startLoopback({ status: 429, headers: { "retry-after": "9" }, json: { message: "later" } });
    const stop = new AbortController();
    const failed = clientOf(server.url).infer(ask, { signal: stop.signal });
    await new Promise((done) => setTimeout(done, 100));
    stop.abort();
    await expect(failed).rejects.toMatchObject({ kind: "cancelled" });
  });
});

describe("answers that no server gives", () => {
  it("are protocol errors when they are not JSON, not the right JSON, or no HTTP", async () => {
    const html = await startLoopback((response) => response.end("<html>secret page</html>"));
    await expect(clientOf(html.url).info()).rejects.toMatchObject({
      kind: "protocol",
      message: expect.not.stringContaining("secret"),
    });
    const other = await startLoopback({ json: { hello: "world" } });
    await expect(clientOf(other.url).info()).rejects.toMatchObject({ kind: "protocol" });
    const garbage = createServer((socket) => socket.end("\x00\x01garbage\r\n\r\n"));
    await new Promise<void>((done) => garbage.listen(0, "127.0.0.1", done));
    onTestFinished(() => void garbage.close());
    const { port } = garbage.address() as { port: number };
    await expect(clientOf(`http://127.0.0.1:${port}`).info()).rejects.toMatchObject({
      kind: "protocol",
      message: expect.stringContaining("does not speak HTTP"),
    });
  });

  it("are cut off when they grow without end", async () => {
    const server = await startLoopback((response) => {
      const chunk = Buffer.alloc(1024 * 1024, 0x20);
      const pour = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once("drain", pour);
      };
      pour();
    });
    await expect(clientOf(server.url).info({ timeoutMs: 15_000 })).rejects.toMatchObject({
      kind: "protocol",
      message: expect.stringContaining("larger than"),
    });
  });

  it("are protocol errors when they cannot be unpacked", async () => {
    const server = await startLoopback((response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end("not gzip");
    });
    await expect(clientOf(server.url).workflows.versions()).rejects.toMatchObject({ kind: "protocol" });
  });
});

describe("ends", () => {
  it("cancels by the caller's signal, before and during the call", async () => {
    const server = await startLoopback(() => undefined);
    const client = clientOf(server.url);
    await expect(client.info({ signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: "cancelled" });
    expect(server.received).toHaveLength(0);
    await expect(client.info({ signal: AbortSignal.timeout(30) })).rejects.toMatchObject({ kind: "cancelled" });
  });

  it("aborts what is under way when the client is closed, which may happen twice", async () => {
    const server = await startLoopback(() => undefined);
    const client = clientOf(server.url);
    const failed = expect(client.info()).rejects.toMatchObject({ kind: "cancelled" });
    client.close();
    client.close();
    await failed;
    await expect(client.info()).rejects.toMatchObject({
      kind: "cancelled",
      message: "GET /info: the client is closed.",
    });
  });

  it("says that a server is not there, and why", async () => {
    const server = await startLoopback(info);
    await server.close();
    await expect(clientOf(server.url).info()).rejects.toMatchObject({
      kind: "network",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("finds a server again that was restarted", async () => {
    const server = await startLoopback(info);
    const client = clientOf(server.url);
    await client.info();
    await server.close();
    await expect(client.info()).rejects.toMatchObject({ kind: "network" });
  });
});

describe("statuses", () => {
  it.each([
    [400, "invalid"],
    [401, "auth"],
    [402, "quota"],
    [403, "auth"],
    [404, "not_found"],
    [405, "unsupported"],
    [410, "unsupported"],
    [413, "invalid"],
    [418, "invalid"],
    [422, "invalid"],
    [423, "quota"],
    [429, "busy"],
    [500, "server"],
    [501, "unsupported"],
    [502, "server"],
    [504, "server"],
    [507, "quota"],
    [302, "protocol"],
  ])("%i is %s", async (status, kind) => {
    const server = await startLoopback({ status, json: { message: "so it is", error_type: "SomeError" } });
    await expect(clientOf(server.url, { clock: hurriedClock() }).infer(ask)).rejects.toMatchObject({
      kind,
      status,
      errorType: "SomeError",
      message: "POST /infer/object_detection: so it is",
    });
  });

  it("say auth where a key is missing, though the server says 400", async () => {
    const server = await startLoopback({ status: 400, json: { message: "Required Roboflow API key is missing." } });
    await expect(clientOf(server.url).infer(ask)).rejects.toMatchObject({ kind: "auth" });
  });
});

describe("concurrency", () => {
  it("asks a server for so many inferences at once and no more", async () => {
    let running = 0;
    let most = 0;
    const server = await startLoopback((response) => {
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => {
        running -= 1;
        response.end(JSON.stringify(nothing.json));
      }, 20);
    });
    const client = clientOf(server.url);
    await Promise.all(Array.from({ length: 6 }, () => client.infer(ask)));
    expect(most).toBe(2);
    expect(() => clientOf(server.url, { maxConcurrent: 0 })).toThrow(expect.objectContaining({ kind: "invalid" }));
  });
});
