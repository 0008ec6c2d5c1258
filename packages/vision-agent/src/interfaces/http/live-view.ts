// live frames → multipart response that never falls behind
import type { ServerResponse } from "node:http";
import type { LiveFrame } from "@vision-agent/vision-engine";
import type { FastifyReply } from "fastify";
import { dropStalled, takeHeaders } from "./sse.ts";

export interface LiveViewOptions {
  /** Before each picture a JSON part with what was found in that very picture. */
  readonly withResults: boolean;
}

const BOUNDARY = "vision-agent-frame";

/**
 * Resolves when the viewer has left. While the socket is full frames are skipped; the newest is always the next one sent.
 * Rejects before anything is sent when the camera cannot be viewed.
 */
export async function streamLiveView(
  reply: FastifyReply,
  view: (onFrame: (frame: LiveFrame) => void) => Promise<() => void>,
  options: LiveViewOptions,
): Promise<void> {
  const { raw } = reply;
  const left = new Promise<void>((done) => raw.once("close", done));
  let open = false;
  let newest: LiveFrame | undefined;
  const flush = (): void => {
    if (!open || newest === undefined || raw.writableNeedDrain || raw.destroyed) return;
    const frame = newest;
    newest = undefined;
    const { picture, result } = frame;
    writeFrame(raw, picture, options.withResults ? reply.server.withoutSecrets(result) : undefined);
  };
  const leave = await view((frame) => {
    newest = frame;
    flush();
  });
  takeHeaders(reply);
  const type = options.withResults ? "mixed" : "x-mixed-replace";
  raw.writeHead(200, { "content-type": `multipart/${type}; boundary=${BOUNDARY}`, "cache-control": "no-store" });
  raw.flushHeaders();
  dropStalled(raw);
  raw.on("drain", flush);
  open = true;
  flush();
  await left;
  leave();
}

function writeFrame(raw: ServerResponse, picture: LiveFrame["picture"], result: LiveFrame["result"] | undefined): void {
  raw.cork();
  if (result !== undefined) writePart(raw, "application/json", Buffer.from(JSON.stringify(result)));
  writePart(raw, "image/jpeg", picture.jpeg);
  raw.uncork();
}

function writePart(raw: ServerResponse, type: string, body: Uint8Array): void {
  raw.write(`--${BOUNDARY}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`);
  raw.write(body);
  raw.write("\r\n");
}
