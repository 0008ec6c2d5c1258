import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type ClientClock, systemClock } from "../client-clock.ts";
import type { ClientOptions, InferenceClient } from "../http/inference-client.ts";
import { createInferenceClient } from "../http/inference-client.ts";

export interface Received {
  readonly method: string;
  /** Path with its query, as it came. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A status and a JSON body, or whatever the answerer does with the response itself. */
export type CannedReply =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly json: unknown }
  | ((response: ServerResponse) => void);

export interface LoopbackServer {
  readonly url: string;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** Answers in order; the last one again and again. Ends with the test. */
export async function startLoopback(...answers: readonly CannedReply[]): Promise<LoopbackServer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url = "", headers } = request;
    received.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
    const answer = answers[Math.min(received.length, answers.length) - 1]!;
    if (typeof answer === "function") return answer(response);
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
    response.end(JSON.stringify(answer.json));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const close = (): Promise<void> =>
    new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, close };
}

/** A client that ends with the test. */
export function clientOf(url: string, options: Partial<ClientOptions> = {}): InferenceClient {
  const client = createInferenceClient({ url, clock: systemClock, random: () => 1, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Short waits take no time and are noted; long ones (time limits) never end by themselves. */
export function hurriedClock(): ClientClock & { readonly waits: readonly number[] } {
  const waits: number[] = [];
  let ms = 0;
  return {
    waits,
    now: () => ms,
    monotonic: () => ms,
    async sleep(forMs, signal) {
      if (forMs >= 10_000) return await systemClock.sleep(600_000, signal);
      waits.push(forMs);
      ms += forMs;
    },
  };
}
