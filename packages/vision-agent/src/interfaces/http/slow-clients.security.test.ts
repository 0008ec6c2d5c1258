import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GuardedApp, openGuardedApp } from "../../testing/signed-in.ts";
import { listen } from "./listen.ts";

describe("a client that is slow on purpose", () => {
  let app: GuardedApp;
  let port: number;
  beforeAll(async () => {
    app = await openGuardedApp({ over: { limits: { headersMs: 500, requestMs: 1000 } } });
    port = Number(new URL(await listen(app.server, { host: "127.0.0.1", port: 0 })).port);
  });
  afterAll(() => app.server.close());

  const bearer = (): string => `Authorization: Bearer ${app.access.token}\r\n`;
  const begin = (path: string, more = ""): string => `${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}`;

  it("that sends nothing is cut off", async () => {
    const { closed } = talk(port, "");
    expect(await closed).toMatch(/^(?:HTTP\/1\.1 408 .*)?/);
  });

  it("that never ends its headers is cut off", async () => {
    const { socket, closed } = talk(port, begin("GET /healthz"));
    const drip = setInterval(() => socket.write("X-Slow: 1\r\n"), 100);
    const answer = await closed.finally(() => clearInterval(drip));
    expect(answer).not.toContain(" 200 ");
  });

  it("that never ends its body is cut off, and holds nobody else up", async () => {
    const headers = `${bearer()}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"text":"`;
    const slow = Array.from({ length: 50 }, () => talk(port, begin("POST /api/sessions/s/messages", headers)));
    const drips = slow.map(({ socket }) => setInterval(() => socket.write("a"), 100));
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    const answers = await Promise.all(slow.map(({ closed }) => closed));
    for (const drip of drips) clearInterval(drip);
    expect(answers.filter((answer) => answer.includes(" 200 "))).toEqual([]);
  });

  it("that only listens for long is not slow: a stream lives on beyond all limits", async () => {
    const { socket, closed, received } = talk(port, begin("GET /api/stream", `${bearer()}\r\n`));
    const isOver = closed.then(() => "over");
    const later = new Promise((done) => setTimeout(done, 4000, "open"));
    expect(await Promise.race([isOver, later])).toBe("open");
    expect(received()).toContain("event: pipelines");
    socket.destroy();
  });

  it("without a login never gets its body read", async () => {
    const headers = "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n";
    const { closed } = talk(port, begin("POST /api/sessions/s/messages", headers));
    expect(await closed).toContain(" 401 ");
  });
});

describe("a stream whose login ends", () => {
  it("ends at once", async () => {
    const app = await openGuardedApp();
    try {
      const port = Number(new URL(await listen(app.server, { host: "127.0.0.1", port: 0 })).port);
      const cookie = app.senders.viewer.cookie?.replaceAll("_4750=", `_${port}=`);
      const { closed, received } = talk(
        port,
        `GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`,
      );
      while (!received().includes("event: pipelines")) await new Promise((done) => setTimeout(done, 20));
      await app.access.accounts.remove("guest");
      expect(await closed).toContain(" 200 ");
    } finally {
      await app.server.close();
    }
  });
});

function talk(port: number, text: string): { socket: Socket; closed: Promise<string>; received: () => string } {
  const socket = connect(port, "127.0.0.1", () => socket.write(text));
  let answer = "";
  socket.on("data", (piece: Buffer) => {
    answer += piece.toString();
  });
  // Writing to a socket that was cut off is what these tests wait for.
  socket.on("error", () => undefined);
  const closed = new Promise<string>((done) => socket.once("close", () => done(answer)));
  return { socket, closed, received: () => answer };
}
