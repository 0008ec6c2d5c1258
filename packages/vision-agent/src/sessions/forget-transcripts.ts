// conversations → the same without what cameras showed in them
import {
  AgentError,
  type Part,
  type SessionStore,
  type ToolResultPart,
  type TranscriptEntry,
} from "@vision-agent/agent-core";
import PQueue from "p-queue";
import { z } from "zod";
import {
  type ForgetfulStore,
  type ForgetTarget,
  type Forgotten,
  isCovered,
  toForgotten,
} from "../store/forget-target.ts";
import type { FilePort } from "../workspace/file-port.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { parseJson } from "../workspace/parse-json.ts";

/** Stands where something was. */
const NOTE = "[Forgotten on request.]";
const note = { type: "text", text: NOTE } as const;

/** Names of fields of tool data that hold a camera. */
const CAMERA_FIELDS: ReadonlySet<string> = new Set(["camera", "subject", "video_reference", "cameras"]);

/** Its name in the workspace: what waits for the end of a run. */
export const FORGET_LATER_FILE = "forget.json";
const WAIT_MS = 1000;
const MOST_TRIES = 30;

const laterSchema = z.array(
  z.object({
    sessions: z.array(z.string()),
    camera: z.string().optional(),
    /** Null: without an end. */
    from_ms: z.number().nullable(),
    to_ms: z.number().nullable(),
    events: z.array(z.string()),
    pictures: z.array(z.string()),
  }),
);
type Later = z.infer<typeof laterSchema>[number];

export interface ForgetfulTranscriptsOptions {
  readonly sessions: Pick<SessionStore, "list" | "read" | "rewrite">;
  readonly files: FilePort;
  /** Of the file that keeps what waits. */
  readonly path: string;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Told what could not be forgotten, in a sentence. Must not throw. */
  readonly onProblem: (message: string) => void;
}

/**
 * Takes out pictures, results of tools about the camera, and what the model said and did in the same run from then on.
 * A person's own words stay. A conversation whose run goes on follows when the run has ended, also after a restart.
 */
export type ForgetfulTranscripts = Pick<Transcripts, keyof Transcripts>;

export function createForgetfulTranscripts(options: ForgetfulTranscriptsOptions): ForgetfulTranscripts {
  return new Transcripts(options);
}

class Transcripts implements ForgetfulStore {
  readonly #options: ForgetfulTranscriptsOptions;
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #life = new AbortController();
  #waiting: Promise<void> | undefined;

  constructor(options: ForgetfulTranscriptsOptions) {
    this.#options = options;
  }

  async forget(target: ForgetTarget, { preview }: { readonly preview: boolean }): Promise<Forgotten> {
    const { sessions } = this.#options;
    const found: string[] = [];
    const busy: string[] = [];
    for (const { id, title } of await sessions.list()) {
      const entries = await sessions.read(id);
      if (JSON.stringify(entries) === JSON.stringify(withoutForgotten(entries, target))) continue;
      found.push(`${id} ${title}`);
      if (!preview && !(await this.#rewrite(id, target))) busy.push(id);
    }
    if (busy.length > 0)
      await this.#queue.add(async () => this.#save([...(await this.#load()), toLater(busy, target)]));
    this.retrySoon();
    return toForgotten(found);
  }

  /** Goes on with what had to wait. Call it when a run has ended, and at the start. */
  retrySoon(): void {
    this.#waiting ??= this.#retry()
      .catch((error: unknown) =>
        this.#options.onProblem(`A conversation still holds what was to be forgotten: ${reasonOf(error)}`),
      )
      .finally(() => {
        this.#waiting = undefined;
      });
  }

  /** May be called twice. */
  async close(): Promise<void> {
    this.#life.abort();
    await this.#waiting;
  }

  async #retry(): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES && !this.#life.signal.aborted; tries += 1) {
      const left = await this.#queue.add(async () => {
        const waiting = await this.#load();
        const still: Later[] = [];
        for (const later of waiting) {
          const busy: string[] = [];
          for (const id of later.sessions) if (!(await this.#rewrite(id, toTarget(later)))) busy.push(id);
          if (busy.length > 0) still.push({ ...later, sessions: busy });
        }
        if (waiting.length > 0) await this.#save(still);
        return still.length;
      });
      if (left === 0) return;
      // Ends early only when the app does.
      await this.#options.sleep(WAIT_MS, this.#life.signal).catch(() => undefined);
    }
  }

  /** False while a run writes to it. */
  async #rewrite(id: string, target: ForgetTarget): Promise<boolean> {
    try {
      await this.#options.sessions.rewrite(id, (all) => withoutForgotten(all, target));
      return true;
    } catch (error) {
      if (error instanceof AgentError && error.code === "session_busy") return false;
      throw error;
    }
  }

  async #load(): Promise<readonly Later[]> {
    const text = await this.#options.files.readText(this.#options.path);
    return laterSchema.safeParse(parseJson(text ?? "")).data ?? [];
  }

  async #save(later: readonly Later[]): Promise<void> {
    const { files, path } = this.#options;
    if (later.length === 0) await files.remove(path);
    else await files.writeAtomic(path, `${JSON.stringify(later)}\n`);
  }
}

function toLater(sessions: readonly string[], { camera, fromMs, toMs, events, pictures }: ForgetTarget): Later {
  const finite = (ms: number): number | null => (Number.isFinite(ms) ? ms : null);
  return {
    sessions: [...sessions],
    ...(camera !== undefined && { camera }),
    from_ms: finite(fromMs),
    to_ms: finite(toMs),
    events: [...events],
    pictures: [...pictures],
  };
}

function toTarget({ camera, from_ms, to_ms, events, pictures }: Later): ForgetTarget {
  return {
    ...(camera !== undefined && { camera }),
    fromMs: from_ms ?? Number.NEGATIVE_INFINITY,
    toMs: to_ms ?? Number.POSITIVE_INFINITY,
    events: new Set(events),
    pictures: new Set(pictures),
  };
}

export function withoutForgotten(
  entries: readonly TranscriptEntry[],
  target: ForgetTarget,
): readonly TranscriptEntry[] {
  /** Runs that have seen what goes. A run that goes on after a pause has another id, and the same calls. */
  const runs = new Set<string>();
  const calls = new Set<string>();
  return entries.map((entry) => {
    if (entry.type === "message") {
      for (const part of entry.message.parts) {
        if (!isAbout(part, entry.ts, target)) continue;
        runs.add(entry.runId ?? "");
        if (part.type === "tool_result") calls.add(part.callId);
      }
    }
    return runs.has(entry.runId ?? "") || entry.type === "compaction" || entry.type === "vision_context"
      ? withoutContent(entry, target, runs.size > 0, calls)
      : withoutMentions(entry, target);
  });
}

/** Messages are sent with what was seen in the last days; no more than this. */
const TOLD_FOR_MS = 3 * 24 * 3_600_000;

/**
 * What was told with each message since then of the last days, and what the model wrote about the camera elsewhere.
 * Found by the camera's name, which stands in all of it.
 */
function withoutMentions(entry: TranscriptEntry, target: ForgetTarget): TranscriptEntry {
  const { camera, fromMs, toMs } = target;
  const at = Date.parse(entry.ts);
  if (at < fromMs || at >= toMs + TOLD_FOR_MS) return entry;
  const mentions = (value: unknown): boolean =>
    camera === undefined || JSON.stringify(value).toLowerCase().includes(camera.toLowerCase());
  // One event says nothing of what else was said about its camera.
  const isSpan = camera !== undefined && fromMs < toMs;
  if (entry.type === "tool_intent") {
    const { intent } = entry;
    return isSpan && mentions(intent.arguments) ? { ...entry, intent: { ...intent, arguments: {} } } : entry;
  }
  if (entry.type !== "message") return entry;
  const { message } = entry;
  const parts = message.parts.flatMap((part): readonly Part[] => {
    if (part.type === "state_note") return [mentions(part.text) ? { ...part, text: NOTE } : part];
    return message.role === "assistant" && isSpan && mentions(part) ? withoutWords(part) : [part];
  });
  return { ...entry, message: { ...message, parts: parts.length > 0 ? parts : [note] } };
}

function withoutContent(
  entry: TranscriptEntry,
  target: ForgetTarget,
  hasForgotten: boolean,
  calls: ReadonlySet<string>,
): TranscriptEntry {
  switch (entry.type) {
    case "message": {
      const { message } = entry;
      const parts = message.parts.flatMap((part): readonly Part[] => {
        if (message.role === "assistant") return withoutWords(part);
        if (part.type === "state_note") return [{ ...part, text: NOTE }];
        return [part.type === "tool_result" ? withoutResult(part, target, calls) : withoutPicture(part, target)];
      });
      return { ...entry, message: { ...message, parts: parts.length > 0 ? parts : [note] } };
    }
    case "compaction":
      return hasForgotten ? { ...entry, summary: { ...entry.summary, parts: [note] } } : entry;
    case "vision_context":
      return { ...entry, images: entry.images.filter(({ artifactId }) => !target.pictures.has(artifactId)) };
    case "run_ended": {
      const { outcome, ...rest } = entry;
      return outcome === undefined ? entry : { ...rest, outcome: { ...outcome, text: NOTE } as typeof outcome };
    }
    case "tool_intent":
      return { ...entry, intent: { ...entry.intent, arguments: {} } };
    case "pause":
      return {
        ...entry,
        pause: { ...entry.pause, calls: entry.pause.calls.map((call) => ({ ...call, preview: NOTE })) },
      };
    default:
      return entry;
  }
}

/** What a model said after it had seen. Its calls stay, without what it wrote into them. */
function withoutWords(part: Part): readonly Part[] {
  if (part.type === "text") return part.text.trim() === "" ? [part] : [note];
  if (part.type === "tool_call") return [{ type: "tool_call", call: { ...part.call, arguments: {} } }];
  return part.type === "reasoning" || part.type === "provider" ? [] : [part];
}

function withoutResult(part: ToolResultPart, target: ForgetTarget, calls: ReadonlySet<string>): ToolResultPart {
  if (!calls.has(part.callId)) return { ...part, content: part.content.map((one) => withoutPicture(one, target)) };
  const { type, callId, toolName, outcome } = part;
  return { type, callId, toolName, outcome, content: [note] };
}

function withoutPicture<P extends Part>(part: P, { pictures }: ForgetTarget): P | typeof note {
  return part.type === "image" && pictures.has(part.artifactId) ? note : part;
}

function isAbout(part: Part, ts: string, target: ForgetTarget): boolean {
  if (part.type === "image") return target.pictures.has(part.artifactId);
  if (part.type !== "tool_result") return false;
  return part.content.some((one) => isAbout(one, ts, target)) || namesIt(part.data, "", Date.parse(ts), target);
}

/** Whether data holds an event or a picture that goes, or what the camera showed in that time. */
function namesIt(value: unknown, field: string, atMs: number, target: ForgetTarget): boolean {
  if (typeof value === "string") {
    if (target.events.has(value) || target.pictures.has(value)) return true;
    return CAMERA_FIELDS.has(field) && value !== "" && isCovered(target, value, atMs);
  }
  if (Array.isArray(value)) return value.some((one) => namesIt(one, field, atMs, target));
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, inner]) => namesIt(inner, name, atMs, target));
}
