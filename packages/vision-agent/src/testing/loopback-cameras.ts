// two cameras on this machine that want a password, for tests
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";

export interface LoopbackCameras {
  /** Host and port of the camera that speaks RTSP: it looks at the password and then has no stream. */
  readonly rtsp: string;
  /** Host and port of the camera that sends pictures over HTTP, to whoever brings a password or a key. */
  readonly http: string;
  /** Path, user and password of everybody who brought one, such as `/stream admin:secret`; else path and query. */
  readonly visitors: ReadonlySet<string>;
  close(): Promise<void>;
}

const FRAME_MS = 100;

export async function startLoopbackCameras(jpeg: Uint8Array): Promise<LoopbackCameras> {
  const visitors = new Set<string>();
  const sockets = new Set<Socket>();
  const http = createServer((request, response) => {
    const { url = "/", headers } = request;
    const visitor = toVisitor(url, headers.authorization);
    if (visitor === undefined) return response.writeHead(401, { "www-authenticate": 'Basic realm="camera"' }).end();
    visitors.add(visitor);
    return sendFrames(response, jpeg);
  });
  const rtsp = createSocketServer((socket) => {
    sockets.add(socket.once("close", () => sockets.delete(socket)).on("error", () => socket.destroy()));
    socket.on("data", (data) => {
      const text = data.toString();
      const [, method, path = ""] = /^(\w+) rtsp:\/\/[^/]*(\S*)/.exec(text) ?? [];
      const sequence = /^CSeq: *(\d+)/im.exec(text)?.[1];
      const visitor = toVisitor(path, /^Authorization: *(.*?)\r?$/im.exec(text)?.[1]);
      if (visitor !== undefined) visitors.add(visitor);
      const refusal =
        visitor === undefined ? '401 Unauthorized\r\nWWW-Authenticate: Basic realm="camera"' : "404 Not Found";
      const [status = "", ...more] = (method === "OPTIONS" ? "200 OK" : refusal).split("\r\n");
      socket.write([`RTSP/1.0 ${status}`, `CSeq: ${sequence}`, ...more, "", ""].join("\r\n"));
    });
  });
  const listen = (server: typeof rtsp | typeof http): Promise<string> =>
    new Promise((done) => {
      server.listen(0, "127.0.0.1", () => done(`127.0.0.1:${(server.address() as AddressInfo).port}`));
    });
  return {
    rtsp: await listen(rtsp),
    http: await listen(http),
    visitors,
    async close() {
      for (const socket of sockets) socket.destroy();
      http.closeAllConnections();
      await Promise.all([rtsp, http].map((server) => new Promise((done) => server.close(done))));
    },
  };
}

function toVisitor(url: string, authorization: string | undefined): string | undefined {
  const basic = /^Basic (\S+)$/i.exec(authorization ?? "")?.[1];
  if (basic !== undefined) return `${url} ${Buffer.from(basic, "base64").toString()}`;
  return /[?&]key=/.test(url) ? url : undefined;
}

function sendFrames(response: ServerResponse, jpeg: Uint8Array): void {
  response.writeHead(200, { "content-type": "multipart/x-mixed-replace; boundary=frame" });
  const send = (): void => {
    response.write(`--frame\r\ncontent-type: image/jpeg\r\ncontent-length: ${jpeg.length}\r\n\r\n`);
    response.write(jpeg);
    response.write("\r\n");
  };
  send();
  const timer = setInterval(send, FRAME_MS);
  response.once("close", () => clearInterval(timer));
}
