// a model that speaks on time: numbered tokens at a fixed pace over the Anthropic wire
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface TokenSource {
  readonly address: string;
  /** When token `n` of the latest answer left, by `performance.now()`. */
  sentAt(n: number): number | undefined;
  close(): Promise<void>;
}

/** Answers every request with `count` tokens "t0 t1 …", one each `everyMs`. */
export async function openTokenSource(options: { count: number; everyMs: number }): Promise<TokenSource> {
  let sent: number[] = [];
  const server = createServer((request, response) => {
    request.resume();
    // The list of models is asked for beside the first turn.
    if (request.method !== "POST") {
      response.writeHead(404).end();
      return;
    }
    sent = [];
    response.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_bench" });
    const emit = (data: { type: string } & Record<string, unknown>): void => {
      response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
    };
    const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const message = { id: "msg_bench", type: "message", role: "assistant", model: "claude-sonnet-5-5", content: [] };
    emit({ type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } });
    emit({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
    const timer = setInterval(() => {
      if (sent.length < options.count) {
        const text = `t${sent.length} `;
        sent.push(performance.now());
        emit({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
        return;
      }
      clearInterval(timer);
      emit({ type: "content_block_stop", index: 0 });
      emit({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage });
      emit({ type: "message_stop" });
      response.end();
    }, options.everyMs);
    response.on("close", () => clearInterval(timer));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sentAt: (n) => sent[n],
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
