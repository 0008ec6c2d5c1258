import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createHttpSender, guardedFetch } from "./guarded-fetch.ts";

describe("http sender", () => {
  it("sends a form with files to a server", async () => {
    const { url, seen } = await listen((_, response) => response.end("thanks"));
    const body = new FormData();
    body.append("file", new Blob(["data"]), "file.txt");
    const response = await createHttpSender()(`${url}/hook?a=b`, { method: "POST", headers: { "X-Key": "1" }, body });
    expect(await response.text()).toBe("thanks");
    expect(seen[0]).toMatchObject({ method: "POST", path: "/hook?a=b", key: "1" });
    expect(seen[0]?.type).toMatch(/^multipart\/form-data/);
    expect(seen[0]?.body).toContain('filename="file.txt"');
  });

  it("sends a body with GET", async () => {
    const { url, seen } = await listen((_, response) => response.end());
    await createHttpSender()(url, { method: "GET", body: '{"a":1}' });
    expect(seen[0]).toMatchObject({ method: "GET", body: '{"a":1}' });
  });

  it("follows no redirect: what is sent was allowed for one address", async () => {
    const other = await listen((_, response) => response.end("there"));
    const { url } = await listen((_, response) => response.writeHead(307, { location: `${other.url}/next` }).end());
    await expect(createHttpSender()(url, { method: "POST", body: "data" })).rejects.toThrow(
      "redirects are not allowed",
    );
    expect(other.seen).toEqual([]);
  });

  it("says when the server does not answer in time", async () => {
    const { url } = await listen(() => undefined);
    const sent = createHttpSender()(url, { method: "GET", signal: AbortSignal.timeout(30) });
    await expect(sent).rejects.toThrow("did not answer in time");
  });

  it("refuses this machine by number and by name when only public addresses are allowed", async () => {
    const { url } = await listen((_, response) => response.end());
    const send = createHttpSender({ publicOnly: true });
    await expect(send(url, { method: "GET" })).rejects.toThrow("not a public address");
    await expect(send(url.replace("127.0.0.1", "localhost"), { method: "GET" })).rejects.toThrow(
      "not a public address",
    );
    await expect(send("file:///etc/passwd", { method: "GET" })).rejects.toThrow("http://");
  });
});

describe("guardedFetch", () => {
  const isAllowed = (address: string) => address === "127.0.0.1";

  it("follows a redirect as GET, without the credentials on another host", async () => {
    const other = await listen((_, response) => response.end("there"));
    const { url } = await listen((_, response) => response.writeHead(302, { location: `${other.url}/next` }).end());
    const headers = { authorization: "Bearer secret", "x-key": "1" };
    const response = await guardedFetch(url, { method: "POST", headers, body: "data" });
    expect(await response.text()).toBe("there");
    expect(other.seen[0]).toMatchObject({ method: "GET", body: "", key: "1", authorization: undefined });
  });

  it("checks the address after a redirect, too", async () => {
    const { url } = await listen((_, response) => response.writeHead(302, { location: "http://127.0.0.2/" }).end());
    const fetched = guardedFetch(url, { method: "GET" }, { isAllowed });
    await expect(fetched).rejects.toMatchObject({ kind: "input", type: "AddressNotAllowed" });
  });

  it("follows so many redirects and no more", async () => {
    const { url, seen } = await listen((_, response) => response.writeHead(302, { location: "/again" }).end());
    const fetched = guardedFetch(url, { method: "GET" }, { isAllowed, maxRedirects: 2 });
    await expect(fetched).rejects.toMatchObject({ type: "TooManyRedirects" });
    expect(seen).toHaveLength(3);
  });

  it("refuses an answer that is too large", async () => {
    const { url } = await listen((_, response) => response.end("0123456789"));
    await expect(guardedFetch(url, { method: "GET" }, { maxBytes: 9 })).rejects.toMatchObject({
      type: "AnswerTooLarge",
    });
    expect(await (await guardedFetch(url, { method: "GET" }, { maxBytes: 10 })).text()).toBe("0123456789");
  });

  it("ends after its time, also in the middle of an answer", async () => {
    const { url } = await listen((_, response) => response.write("begun"));
    const fetched = guardedFetch(url, { method: "GET" }, { timeoutMs: 50 });
    await expect(fetched).rejects.toMatchObject({ type: "TimedOut" });
  });
});

interface Seen {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly type: string | undefined;
  readonly key: string | string[] | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url: path, headers } = request;
    const { "content-type": type, "x-key": key, authorization } = headers;
    seen.push({ method, path, type, key, authorization, body: Buffer.concat(chunks).toString() });
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}
