// a run → an SSE response, or one outcome
import type { AgentEvent, RunHandle } from "@vision-agent/agent-core";
import {
  createUiStream,
  type SseMessage,
  toSimpleSse,
  UI_STREAM_END,
  UI_STREAM_HEADERS,
} from "@vision-agent/agent-core/protocols";
import type { RunOutcome } from "@vision-agent/protocol";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import { HttpProblem } from "./http-problem.ts";
import { openSse } from "./sse.ts";
import { createReceipt, createRunTranslator, type RunTranslatorOptions, toRunOutcome } from "./to-run-event.ts";

export const dialectSchema = z.enum(["native", "simple", "ui"]).default("native");
export type Dialect = z.infer<typeof dialectSchema>;

export interface StreamOptions extends RunTranslatorOptions {
  readonly dialect: Dialect;
  /** Events up to this number are left out. */
  readonly after?: number;
}

/** Resolves when the run has ended or the reader has left; the run goes on in the second case. */
export async function streamRun(reply: FastifyReply, run: RunHandle, options: StreamOptions): Promise<void> {
  const isUi = options.dialect === "ui";
  const stream = openSse(reply, isUi ? UI_STREAM_HEADERS : {});
  const encode = createEncoder(options);
  for await (const event of run.events()) {
    if (stream.closed.aborted) break;
    const encoded = encode(event);
    // Numbers of before a restart were others: how it ended is told in any case.
    if (event.seq <= (options.after ?? -1) && event.type !== "run_ended") continue;
    for (const one of encoded) await stream.send({ ...one, id: `${run.runId}:${event.seq}` });
  }
  stream.end(isUi ? UI_STREAM_END : "");
}

export async function finishRun(run: RunHandle, options: RunTranslatorOptions): Promise<RunOutcome> {
  const translate = createRunTranslator(options);
  for await (const event of run.events()) {
    const translated = translate(event);
    if (translated?.type === "run_ended") return translated.outcome;
  }
  return toRunOutcome(await run.outcome, []);
}

/** `run_x:12` or `12` → 12. Throws `HttpProblem` 400 for anything else, and for an event of another run. */
export function parseAfter(text: string | undefined, runId: string): number | undefined {
  if (text === undefined || text === "") return undefined;
  const [, run = runId, seq] = /^(?:([\w-]+):)?(\d{1,9})$/.exec(text) ?? [];
  if (seq !== undefined && run === runId) return Number(seq);
  throw new HttpProblem(
    400,
    "invalid_request",
    `Last-Event-ID and after are the id of an event of this run, such as ${runId}:12.`,
  );
}

function createEncoder(options: StreamOptions): (event: AgentEvent) => readonly SseMessage[] {
  const receiptAtEnd = createReceipt(options.changes);
  if (options.dialect === "simple") {
    return (event) => {
      const receipt = receiptAtEnd(event);
      return toSimpleSse(event).map((one) => (receipt ? { ...one, data: { ...Object(one.data), receipt } } : one));
    };
  }
  if (options.dialect === "ui") {
    const toChunks = createUiStream();
    return (event) => {
      const receipt = receiptAtEnd(event);
      const chunks = receipt === undefined ? [] : [{ data: { type: "data-receipt", data: receipt } }];
      return [...chunks, ...toChunks(event).map((data) => ({ data }))];
    };
  }
  const translate = createRunTranslator(options);
  return (event) => {
    const translated = translate(event);
    return translated === undefined ? [] : [{ event: translated.type, data: translated }];
  };
}
