import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hideLine } from "./agent/hide-line.ts";
import { createMemoryArtifactStore } from "./artifacts/memory-artifact-store.ts";
import { hideEvent } from "./observability/hide-secrets.ts";
import { createRedactingLogger } from "./observability/logger.ts";
import { createRedactor, type Redactor } from "./observability/redact.ts";
import { createSecretTokens } from "./observability/secret-tokens.ts";
import { startOtelSpan } from "./observability/span.ts";
import type { TranscriptEntry } from "./session/session-store.ts";
import { AgentError } from "./types/errors.ts";
import type { AgentEvent, AgentEventBody } from "./types/events.ts";
import type { Json } from "./types/json.ts";
import type { Message } from "./types/message.ts";

const TS = "2026-01-01T00:00:00.000Z";

/** Ways in which bytes and secrets get into a text. */
const LEAKS: readonly ((bytes: Buffer, secret: string) => string)[] = [
  (bytes) => bytes.toString("base64"),
  (bytes) => bytes.toString("base64").slice(5),
  (bytes) => bytes.toString("base64").replace(/.{76}/g, "$&\n"),
  (bytes) => `data:image/png;base64,${bytes.toString("base64")}`,
  (bytes) => JSON.stringify({ type: "image", data: bytes.toString("base64") }),
  (_, secret) => secret,
  (_, secret) => JSON.stringify({ Authorization: `Bearer ${secret}` }),
  (_, secret) => `https://host/?key=${encodeURIComponent(secret)}`,
  (bytes, secret) => `${secret}${bytes.toString("base64")}${secret}`,
];

/** A person may be shown base64 that is no picture, such as a piece of one. */
const PIECE_OF_BASE64 = 1;
const PNG = Buffer.from("89504e470d0a1a0a0000000d", "hex");

const leakArbitrary = fc.record({
  bytes: fc.uint8Array({ minLength: 48, maxLength: 200 }).map((bytes) => Buffer.concat([PNG, bytes])),
  secret: fc.string({ minLength: 8, maxLength: 30, unit: "binary" }).map((text) => `sk-${text}`),
  ways: fc.array(fc.nat({ max: LEAKS.length - 1 }), { minLength: 1, maxLength: 3 }),
  around: fc.string({ maxLength: 20 }),
});

describe("invariant 3: no event, log line, span attribute or error tells a picture or a secret, and no transcript line a secret", () => {
  it("VI-13 VI-15 VI-23 complaint 23: whatever way they came in", async () => {
    await fc.assert(
      fc.asyncProperty(leakArbitrary, async ({ bytes, secret, ways, around }) => {
        const { id } = await createMemoryArtifactStore().put(bytes, { mimeType: "text/plain", namespace: "n" });
        const textOf = (some: readonly number[]): string =>
          some.map((way) => `${around} ${LEAKS[way]?.(bytes, secret)} ${around}`).join(" ");
        const redactor = createRedactor({ secrets: [secret] });
        const logged = { text: textOf(ways), bytes, id };
        const shown = { ...logged, text: textOf(ways.filter((way) => way !== PIECE_OF_BASE64)) };
        const tokens = createSecretTokens({ secrets: [secret], key: async () => PNG });
        await tokens.open();
        const events = everyEvent((event) => createRedactor().display(hideEvent(event, tokens.hide)), shown);
        for (const line of [...everyLog(redactor, logged), ...events]) {
          expect(findLeak(line, bytes, secret)).toBe("");
        }
        for (const entry of entriesWith(logged)) {
          const line = JSON.stringify({ ...entry, ...hideLine(entry, tokens.hide) });
          expect(findLeak(line, Buffer.alloc(0), secret)).toBe("");
          expect(JSON.stringify(tokens.reveal(JSON.parse(line)))).toBe(JSON.stringify(entry));
        }
      }),
      {
        numRuns: 50,
        examples: [
          [{ bytes: Buffer.concat([PNG, Buffer.alloc(103)]), secret: "sk-12345678", ways: [2, 0], around: "" }],
        ],
      },
    );
  });

  it("finds a leak where nothing is redacted", () => {
    const bytes = Buffer.alloc(48, 3);
    const open: Redactor = { text: (text) => text, value: (value) => value as Json, display: (value) => value };
    const leak = { text: `key ${bytes.toString("base64")}`, bytes, id: "art_1" };
    const lines = [...everyLog(open, leak), ...everyEvent((event) => event, leak)];
    expect(lines.filter((line) => findLeak(line, bytes, "sk-none") === "")).toEqual([]);
  });
});

interface Leak {
  readonly text: string;
  readonly bytes: Buffer;
  readonly id: string;
}

function everyLog(redactor: Redactor, leak: Leak): readonly string[] {
  return [JSON.stringify(redactor.value(errorWith(leak))), ...logLines(redactor, leak), ...spanLines(redactor, leak)];
}

function everyEvent(show: (event: AgentEvent) => unknown, leak: Leak): readonly string[] {
  return eventsWith(leak).map((event) => JSON.stringify(show(event)));
}

function eventsWith({ text, bytes, id }: Leak): readonly AgentEvent[] {
  const error = { kind: "agent", code: "server", message: text, retryable: true } as const;
  const call = {
    id: "c",
    toolName: "look",
    arguments: { deep: { text } },
    rawArguments: text,
    state: "complete",
  } as const;
  const content = [{ type: "text", text }, image(id, text)] as const;
  const result = {
    type: "tool_result",
    callId: "c",
    toolName: "look",
    outcome: "ok",
    content,
    data: { [text]: text },
  } as const;
  const bodies: AgentEventBody[] = [
    { type: "text_delta", messageId: "m", text },
    { type: "tool_call", call, decision: "allow" },
    { type: "tool_result", result, durationMs: 1, replayed: false },
    { type: "signal", name: "found", data: { [text]: 1, opaque: { provider: "x", data: text } }, via: "tool" },
    // What no type allows, and a cast lets through.
    {
      type: "warning",
      code: "spill_failed",
      message: text,
      data: { bytes, json: bytes.toJSON(), text } as unknown as Json,
    },
    { type: "error", error, stopsRun: true },
  ];
  return bodies.map((body, seq) => ({ v: 1, seq, runId: "r", sessionId: "s", turn: 1, ts: TS, ...body }));
}

function entriesWith({ text, id }: Leak): readonly TranscriptEntry[] {
  const parts = [{ type: "text", text }, image(id, text), { type: "reasoning", text }] as const;
  const message: Message = { id: "m", role: "user", origin: "human", ts: TS, parts };
  const intent = { callId: "c", toolName: "look", arguments: { text }, idempotencyKey: "k", attempt: 1 };
  const base = { v: 1, id: "l", ts: TS } as const;
  return [
    { ...base, type: "message", message },
    { ...base, type: "run_started", task: text },
    { ...base, type: "tool_intent", intent },
    { ...base, type: "env", version: 1, patches: [{ op: "set", path: "/x", value: { text } }], cause: "call:c" },
  ];
}

function errorWith({ text, bytes }: Leak): AgentError {
  const cause = Object.assign(new Error(text), { response: { body: bytes } });
  return new AgentError({ kind: "tool", code: "threw", message: text, cause });
}

function logLines(redactor: Redactor, leak: Leak): readonly string[] {
  const lines: string[] = [];
  const write = (message: string, fields?: object): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const logger = createRedactingLogger({ debug: write, info: write, warn: write, error: write }, redactor);
  logger.info(leak.text, { text: leak.text, bytes: leak.bytes, error: errorWith(leak) });
  return lines;
}

function spanLines(redactor: Redactor, { text }: Leak): readonly string[] {
  const lines: string[] = [];
  const write = (...written: unknown[]): void => void lines.push(JSON.stringify(written));
  const span = { setAttribute: write, addEvent: write, setStatus: write, end: () => undefined };
  const one = startOtelSpan("run", { tracer: { startSpan: () => span }, redactor });
  one.set("text", text);
  one.event("e", { list: [text] });
  one.end({ kind: "agent", code: "server", message: text, retryable: false });
  return lines.filter((line) => !line.startsWith('["error.type"'));
}

function image(artifactId: string, alt: string) {
  return { type: "image", artifactId, mimeType: "image/png", alt } as const;
}

/** The first 64 characters of the artifact, or the secret, that a line tells; empty for none. */
function findLeak(line: string, bytes: Buffer, secret: string): string {
  for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) if (line.includes(form)) return form;
  const data = bytes.toString("base64");
  for (let at = 0; at + 64 <= data.length; at++) {
    if (line.includes(data.slice(at, at + 64))) return data.slice(at, at + 64);
  }
  return "";
}
