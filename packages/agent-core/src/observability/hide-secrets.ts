// what a conversation is made of → the same with secrets hidden in its texts and data, and nowhere else
import type { EnvPatch } from "../types/environment.ts";
import type { ErrorView } from "../types/errors.ts";
import type { AgentEventBody, AgentWarning, ExecutionOutcome } from "../types/events.ts";
import { isJsonObject, type Json, type JsonSchema } from "../types/json.ts";
import type {
  Message,
  Opaque,
  Part,
  PauseRecord,
  PauseRequest,
  Resolution,
  TextPart,
  ToolCall,
  ToolResultPart,
} from "../types/message.ts";
import { FIELD_NAME } from "./redacted-copy.ts";

/** Hides the secrets in a text or in any data. Gives back the very same value where there are none. */
export type Hide = <T>(value: T) => T;

/**
 * Types, ids, names of tools and users, keys and states are never changed, whatever they are. Signed data with a secret
 * in it cannot be changed either: its part is left out.
 */
export function hideMessage(message: Message, hide: Hide): Message {
  const parts = message.parts.flatMap((part) => hidePart(part, hide) ?? []);
  const isSame = parts.length === message.parts.length && parts.every((part, at) => part === message.parts[at]);
  return isSame ? message : { ...message, parts };
}

/** Undefined for a part that cannot be shown. */
function hidePart(part: Part, hide: Hide): Part | undefined {
  switch (part.type) {
    case "text":
    case "state_note":
      return changed(part, { text: hide(part.text) });
    case "image":
      return changed(part, { alt: hide(part.alt), filename: hide(part.filename) });
    case "reasoning":
      return holdsSecret(part.opaque, hide) ? undefined : changed(part, { text: hide(part.text) });
    case "provider":
      return holdsSecret(part.opaque, hide) ? undefined : part;
    case "tool_call": {
      const opaque = holdsSecret(part.opaque, hide) ? undefined : part.opaque;
      return changed(part, { call: hideCall(part.call, hide), opaque });
    }
    case "tool_result":
      return hideResult(part, hide);
  }
}

function holdsSecret(opaque: Opaque | undefined, hide: Hide): boolean {
  return opaque !== undefined && hide(opaque.data) !== opaque.data;
}

export function hideCall(call: ToolCall, hide: Hide): ToolCall {
  return changed(call, { arguments: hide(call.arguments), rawArguments: hide(call.rawArguments) });
}

export function hideResult(result: ToolResultPart, hide: Hide): ToolResultPart {
  const content = result.content.map((part) =>
    part.type === "text"
      ? changed<TextPart>(part, { text: hide(part.text) })
      : changed(part, { alt: hide(part.alt), filename: hide(part.filename) }),
  );
  const isSame = content.every((part, at) => part === result.content[at]);
  return changed(result, { content: isSame ? result.content : content, data: hide(result.data) });
}

export function hidePatches(patches: readonly EnvPatch[], hide: Hide): readonly EnvPatch[] {
  return patches.map((patch) => {
    const path = patch.path
      .split("/")
      .map((name) => (FIELD_NAME.test(name) ? name : hide(name)))
      .join("/");
    return patch.op === "remove" ? changed(patch, { path }) : changed(patch, { path, value: hide(patch.value) });
  });
}

export function hideRequest<T extends PauseRequest>(request: T, hide: Hide): T {
  const { prompt, choices, schema } = request;
  const free = { prompt: hide(prompt), choices: hide(choices), schema: schema && hideSchema(schema, hide) };
  return changed<PauseRequest>(request, free) as T;
}

export function hidePause(pause: PauseRecord, hide: Hide): PauseRecord {
  const calls = pause.calls.map((call) => changed(call, { preview: hide(call.preview) }));
  return { ...hideRequest(pause, hide), calls };
}

export function hideResolution<T extends Omit<Resolution, "token">>(resolution: T, hide: Hide): T {
  const given = resolution as Partial<{ message: string; value: Json; editedArgs: { [callId: string]: Json } }>;
  const free = {
    ...(given.message !== undefined && { message: hide(given.message) }),
    ...(given.value !== undefined && { value: hide(given.value) }),
    ...(isJsonObject(given.editedArgs) && { editedArgs: hideEach(given.editedArgs, hide) }),
  };
  return { ...resolution, ...free };
}

/** The keys are ids. */
function hideEach(owner: { readonly [id: string]: Json }, hide: Hide): { readonly [id: string]: Json } {
  return Object.fromEntries(Object.entries(owner).map(([id, value]) => [id, hide(value)]));
}

export function hideWarning<T extends AgentWarning>(warning: T, hide: Hide): T {
  return { ...warning, message: hide(warning.message) };
}

function hideError(error: ErrorView, hide: Hide): ErrorView {
  return changed(error, { message: hide(error.message) });
}

export function hideOutcome(outcome: ExecutionOutcome, hide: Hide): ExecutionOutcome {
  const { warnings, signals } = outcome;
  const totals = {
    warnings: warnings.map((warning) => hideWarning(warning, hide)),
    signals: signals.map((signal) => changed(signal, { data: hide(signal.data) })),
  };
  const text = "text" in outcome ? { text: hide(outcome.text) } : {};
  switch (outcome.status) {
    case "finished":
      return { ...changed(outcome, { structured: hide(outcome.structured) }), ...text, ...totals } as ExecutionOutcome;
    case "stopped":
      return { ...outcome, ...text, message: hide(outcome.message), ...totals } as ExecutionOutcome;
    case "paused":
      return { ...outcome, pause: hidePause(outcome.pause, hide), ...totals };
    case "failed":
      return { ...outcome, ...text, error: hideError(outcome.error, hide), ...totals };
    case "cancelled":
      return { ...outcome, ...text, reason: hide(outcome.reason), ...totals };
  }
}

/** Of a schema: what is said in it and the values that it names. Its words, types and the names of properties stay. */
export function hideSchema(schema: JsonSchema, hide: Hide): JsonSchema {
  return hideSchemaValue(schema as Json, hide) as JsonSchema;
}

const SCHEMA_TEXTS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "$comment",
  "default",
  "examples",
  "const",
  "enum",
  "pattern",
]);
const SCHEMA_NAMES: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

function hideSchemaValue(value: Json, hide: Hide): Json {
  if (Array.isArray(value)) return value.map((item) => hideSchemaValue(item, hide));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value as { readonly [key: string]: Json });
  return Object.fromEntries(
    fields.map(([key, inner]) => {
      if (SCHEMA_TEXTS.has(key)) return [key, hide(inner)];
      const isNames = SCHEMA_NAMES.has(key) && isJsonObject(inner);
      return [key, isNames ? hideNamed(inner, hide) : hideSchemaValue(inner, hide)];
    }),
  );
}

function hideNamed(schemas: { readonly [name: string]: Json }, hide: Hide): Json {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, hideSchemaValue(schema, hide)]));
}

/** An event as a line of a transcript has it. */
export function hideEvent(event: AgentEventBody, hide: Hide): AgentEventBody {
  switch (event.type) {
    case "run_started":
      return { ...event, task: hide(event.task) };
    case "state":
    case "discarded":
      return { ...event, why: hide(event.why) };
    case "text_delta":
    case "thinking_delta":
    case "response":
      return { ...event, text: hide(event.text) };
    case "tool_input_delta":
      return { ...event, json: hide(event.json) };
    case "message":
      return { ...event, message: hideMessage(event.message, hide) };
    case "tool_call":
      return { ...event, call: hideCall(event.call, hide) };
    case "tool_progress":
      return { ...event, note: hide(event.note) };
    case "tool_result":
      return { ...event, result: hideResult(event.result, hide) };
    case "artifact":
      return { ...event, ref: changed(event.ref, { filename: hide(event.ref.filename) }) };
    case "signal":
    case "stream_event":
      return { ...event, data: hide(event.data) };
    case "paused":
      return { ...event, pause: hidePause(event.pause, hide) };
    case "context":
      return { ...event, detail: hide(event.detail) };
    case "alert":
      return { ...event, text: hide(event.text), data: hide(event.data) };
    case "retry":
    case "error":
      return { ...event, error: hideError(event.error, hide) };
    case "warning":
      return { ...hideWarning(event, hide), data: hide(event.data) };
    case "run_ended":
      return { ...event, outcome: hideOutcome(event.outcome, hide) };
    case "request":
    case "resumed":
    case "steered":
    case "budget":
      return event;
  }
}

/** The same object where the fields are the same. */
function changed<T extends object>(owner: T, fields: Partial<T>): T {
  const keys = Object.keys(fields) as (keyof T)[];
  const different = keys.filter((key) => fields[key] !== owner[key]);
  if (different.length === 0) return owner;
  return { ...owner, ...Object.fromEntries(different.map((key) => [key, fields[key]])) };
}
