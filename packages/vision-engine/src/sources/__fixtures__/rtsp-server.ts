// H.264 file → a small RTSP camera on loopback: TCP-interleaved, one stream, with faults on demand
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

export interface RtspServerOptions {
  /** Annex B: units between start codes, an access unit delimiter before each picture. */
  readonly h264: Uint8Array;
  readonly fps: number;
  readonly path?: string;
  readonly auth?: { readonly scheme: "basic" | "digest"; readonly user: string; readonly password: string };
  /** 0 takes a free one. */
  readonly port?: number;
}

export interface RtspServer {
  readonly port: number;
  /** How many look at it now. */
  clients(): number;
  /** Keeps the connections and sends nothing more. */
  freeze(): void;
  /** Hangs up on everybody. */
  cut(): void;
  /** May be called twice. */
  close(): Promise<void>;
}

const REALM = "camera";
const NONCE = "0123456789abcdef";

export async function startRtspServer(options: RtspServerOptions): Promise<RtspServer> {
  const pictures = toPictures(options.h264);
  const sockets = new Set<Socket>();
  const state = { frozen: false };
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    serve(socket, { ...options, pictures, isFrozen: () => state.frozen });
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    clients: () => sockets.size,
    freeze: () => {
      state.frozen = true;
    },
    cut,
    async close() {
      cut();
      if (!server.listening) return;
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Session extends RtspServerOptions {
  readonly pictures: readonly (readonly Uint8Array[])[];
  readonly isFrozen: () => boolean;
}

function serve(socket: Socket, session: Session): void {
  let text = "";
  let timer: NodeJS.Timeout | undefined;
  socket.on("close", () => clearInterval(timer));
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
      // Receiver reports come interleaved; only requests are read.
      const request = text.slice(text.search(/[A-Z]{4,}/), end);
      text = text.slice(end + 4);
      answer(socket, request, session);
      if (request.startsWith("PLAY")) timer = play(socket, session);
    }
  });
}

function answer(socket: Socket, request: string, session: Session): void {
  const sequence = /^CSeq: *(\d+)/im.exec(request)?.[1] ?? "0";
  const { status, headers = [], body = "" } = replyTo(request, session);
  const lines = [`RTSP/1.0 ${status}`, `CSeq: ${sequence}`, ...headers];
  if (body !== "") lines.push("Content-Type: application/sdp", `Content-Length: ${body.length}`);
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

interface Reply {
  readonly status: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

function replyTo(request: string, session: Session): Reply {
  const [method = "", url = ""] = request.split(" ");
  if (method === "OPTIONS") return { status: "200 OK", headers: ["Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN"] };
  if (!isAllowed(request, method, session)) return { status: "401 Unauthorized", headers: [challenge(session)] };
  if (!new URL(url).pathname.startsWith(session.path ?? "/cam")) return { status: "404 Not Found" };
  if (method === "DESCRIBE") return { status: "200 OK", headers: [`Content-Base: ${url}/`], body: sdp() };
  if (method !== "SETUP") return { status: "200 OK", headers: ["Session: 1"] };
  // Like cameras that know TCP only.
  if (!/interleaved/i.test(request)) return { status: "461 Unsupported Transport" };
  return { status: "200 OK", headers: ["Transport: RTP/AVP/TCP;unicast;interleaved=0-1", "Session: 1"] };
}

function isAllowed(request: string, method: string, { auth }: Session): boolean {
  if (auth === undefined) return true;
  const given = /^Authorization: *(.*)$/im.exec(request)?.[1] ?? "";
  if (auth.scheme === "basic")
    return given === `Basic ${Buffer.from(`${auth.user}:${auth.password}`).toString("base64")}`;
  const field = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(given)?.[1] ?? "";
  const secret = md5(`${auth.user}:${REALM}:${auth.password}`);
  return (
    field("username") === auth.user &&
    field("response") === md5(`${secret}:${NONCE}:${md5(`${method}:${field("uri")}`)}`)
  );
}

function challenge({ auth }: Session): string {
  return auth?.scheme === "digest"
    ? `WWW-Authenticate: Digest realm="${REALM}", nonce="${NONCE}"`
    : `WWW-Authenticate: Basic realm="${REALM}"`;
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

function sdp(): string {
  const lines = [
    "v=0",
    "o=- 0 0 IN IP4 127.0.0.1",
    "s=camera",
    "t=0 0",
    "m=video 0 RTP/AVP 96",
    "a=rtpmap:96 H264/90000",
  ];
  return [...lines, "a=fmtp:96 packetization-mode=1", "a=control:track1", ""].join("\r\n");
}

/** Pictures one after the other without an end, at their own rate. */
function play(socket: Socket, { pictures, fps, isFrozen }: Session): NodeJS.Timeout {
  let [count, sequence] = [0, 0];
  return setInterval(() => {
    if (isFrozen() || socket.destroyed) return;
    const units = pictures[count % pictures.length]!;
    const timestamp = Math.round((count * 90_000) / fps);
    for (const [index, unit] of units.entries()) {
      for (const { payload, last } of fragments(unit)) {
        const marker = last && index === units.length - 1;
        socket.write(packet(payload, { marker, sequence: sequence++ & 0xffff, timestamp }));
      }
    }
    count += 1;
  }, 1000 / fps);
}

function packet(
  payload: Uint8Array,
  { marker, sequence, timestamp }: { marker: boolean; sequence: number; timestamp: number },
): Uint8Array {
  const bytes = Buffer.alloc(16 + payload.length);
  bytes.write("$", 0);
  bytes.writeUInt16BE(12 + payload.length, 2);
  bytes.writeUInt8(0x80, 4);
  bytes.writeUInt8(96 | (marker ? 0x80 : 0), 5);
  bytes.writeUInt16BE(sequence, 6);
  bytes.writeUInt32BE(timestamp % 2 ** 32, 8);
  bytes.writeUInt32BE(0x5eed, 12);
  bytes.set(payload, 16);
  return bytes;
}

const MOST_PAYLOAD = 1200;

/** A unit as it is, or in pieces of type FU-A. */
function fragments(unit: Uint8Array): { payload: Uint8Array; last: boolean }[] {
  if (unit.length <= MOST_PAYLOAD) return [{ payload: unit, last: true }];
  const [indicator, type] = [(unit[0]! & 0xe0) | 28, unit[0]! & 0x1f];
  const pieces: { payload: Uint8Array; last: boolean }[] = [];
  for (let at = 1; at < unit.length; at += MOST_PAYLOAD) {
    const last = at + MOST_PAYLOAD >= unit.length;
    const header = type | (at === 1 ? 0x80 : 0) | (last ? 0x40 : 0);
    pieces.push({
      payload: Buffer.concat([Buffer.from([indicator, header]), unit.subarray(at, at + MOST_PAYLOAD)]),
      last,
    });
  }
  return pieces;
}

/** Units grouped by picture; a delimiter (type 9) begins each. */
function toPictures(h264: Uint8Array): Uint8Array[][] {
  const pictures: Uint8Array[][] = [];
  for (const unit of toUnits(Buffer.from(h264))) {
    if ((unit[0]! & 0x1f) === 9) pictures.push([]);
    else pictures.at(-1)?.push(unit);
  }
  return pictures.filter((units) => units.length > 0);
}

function toUnits(bytes: Buffer): Uint8Array[] {
  const starts: number[] = [];
  for (let at = bytes.indexOf("\0\0\x01", 0, "latin1"); at >= 0; at = bytes.indexOf("\0\0\x01", at + 3, "latin1"))
    starts.push(at + 3);
  return starts.map((start, index) => {
    let end = index + 1 < starts.length ? starts[index + 1]! - 3 : bytes.length;
    while (end > start && bytes[end - 1] === 0) end -= 1;
    return bytes.subarray(start, end);
  });
}
