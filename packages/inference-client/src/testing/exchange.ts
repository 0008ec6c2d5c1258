import { request as httpRequest } from "node:http";
import type { Json } from "@vision-agent/protocol";

/** One request with JSON in and out, on a connection of its own. Not `fetch`, which sends no body with a GET. */
export function exchange(url: string, method: string, body?: unknown): Promise<{ status: number; json: Json }> {
  const payload = body === undefined ? "" : JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(payload) };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers, agent: false }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part as Buffer);
      resolve({ status: response.statusCode ?? 0, json: JSON.parse(Buffer.concat(parts).toString()) as Json });
    });
    sent.on("error", reject).end(payload);
  });
}
