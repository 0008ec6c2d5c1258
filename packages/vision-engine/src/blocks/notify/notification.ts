// inputs of a step → disabled, throttled, sent or failed

import { createHash } from "node:crypto";
import { inputError } from "../../errors.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { encodeJpegSync } from "../../frames/jpeg.ts";
import { toText } from "../../query/python-text.ts";
import { createQueryCache, type QueryCache } from "../../query/statements.ts";
import {
  type Block,
  type BlockDefinition,
  type BlockInputs,
  type BlockOutputs,
  type BlockValue,
  block,
  isDictionary,
  numberOf,
  textOf,
} from "../block.ts";
import type { Effects } from "../effects.ts";
import { askingFirst } from "./outgoing-pictures.ts";

/** A notification that is ready. */
export interface Delivery {
  readonly send: () => Promise<void>;
  /** Where it goes, as people know it; without secrets. */
  readonly destination: string;
  /** The sentence of success, when it is another than the usual one. */
  readonly sent?: string;
  /** What failed, as the beginning of a sentence; the reason follows. */
  readonly failure: string;
  /** Never told, wherever they turn up in an error. */
  readonly secrets?: readonly string[];
}

/** Why a notification cannot be sent at all; starts no cooldown. */
export interface SinkRefusal {
  readonly refused: string;
}

export interface NotificationTools {
  readonly effects: Effects;
  readonly queries: QueryCache;
}

interface NotificationBlock extends BlockDefinition {
  /** Which blocks share a cooldown; absent for one of its own. */
  readonly cooldownKey?: (inputs: BlockInputs) => string;
  readonly prepare: (
    inputs: BlockInputs,
    tools: NotificationTools,
  ) => Delivery | SinkRefusal | Promise<Delivery | SinkRefusal>;
}

const SENT = "Notification sent successfully";
const SENT_IN_BACKGROUND = "Notification sent in the background task";

/** The order that all notifications keep: disabled, cooldown, prepare, cooldown starts, send. */
export function notificationBlock({ cooldownKey, prepare, ...text }: NotificationBlock): Block {
  return block({
    ...text,
    start: (context) => {
      const { effects, now } = context;
      const tools: NotificationTools = { effects, queries: createQueryCache(context) };
      /** Last starts by wall clock; those of one key are shared by all blocks that have it. */
      const starts = (cooldownKey && effects.cooldowns) ?? new Map<string, number>();
      return async (inputs) => {
        const disabled = disabledMessage(effects, inputs);
        if (disabled !== undefined) return outcome(disabled);
        const key = cooldownKey?.(inputs) ?? "";
        const last = starts.get(key);
        if (last !== undefined && now() - last < 1000 * numberOf(inputs, "cooldown_seconds")) {
          return outcome("Sink cooldown applies", { throttled: true });
        }
        const prepared = await prepare(inputs, tools);
        if ("refused" in prepared) return outcome(prepared.refused, { failed: true });
        const target = { sink: text.type, destination: prepared.destination };
        const delivery = { ...prepared, send: askingFirst(effects, inputs, target, prepared.send) };
        // Before sending: an attempt that fails starts the cooldown too.
        starts.set(key, now());
        if (inputs.fire_and_forget === true && effects.background !== undefined) {
          effects.background(deliver(delivery).then(({ failed, message }) => (failed ? message : undefined)));
          return outcome(SENT_IN_BACKGROUND);
        }
        const { failed, message } = await deliver(delivery);
        return outcome(message, { failed });
      };
    },
  });
}

function outcome(message: string, { failed = false, throttled = false } = {}): BlockOutputs {
  return { error_status: failed, throttling_status: throttled, message };
}

/** Why a sink does nothing; absent when it may. */
export function disabledMessage(effects: Effects, inputs: BlockInputs): string | undefined {
  if (effects.sinksDisabled === true) return "Sink was disabled by workflow execution policy";
  return inputs.disable_sink === true ? "Sink was disabled by parameter `disable_sink`" : undefined;
}

async function deliver({ send, sent = SENT, failure, secrets = [] }: Omit<Delivery, "destination">) {
  try {
    await send();
    return { failed: false, message: sent };
  } catch (error) {
    return { failed: true, message: `${failure}. Internal error details: ${reasonOf(error, secrets)}` };
  }
}

/** Shorter ones are no secrets, and would blot out half of a sentence. */
const SHORTEST_SECRET = 4;

/** What an error says, without the secrets. */
export function reasonOf(error: unknown, secrets: readonly string[]): string {
  const text = error instanceof Error ? error.message : String(error);
  const hidden = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
  return hidden.reduce((told, secret) => told.replaceAll(secret, "***"), text);
}

/** The way out, or an error that says that there is none. */
export function required<T>(way: T | undefined, what: string): T {
  if (way !== undefined) return way;
  throw inputError(`${what} is not set up here.`, "RuntimeError");
}

export interface Template {
  readonly message: string;
  readonly parameters: BlockInputs;
  /** Name of a parameter → list of operations on it. */
  readonly operations: BlockInputs;
}

const PLACEHOLDER = /\{\{\s*\$parameters\.([\p{L}\p{N}_]+)\s*\}\}/gu;

/** A value of a template with the text that it usually becomes. */
export interface FilledValue {
  readonly name: string;
  readonly value: unknown;
  readonly text: string;
}

/** Fills in `{{ $parameters.name }}`; unknown names stay as they are. `write` gives another text for a value. */
export function fillTemplate(
  { message, parameters, operations }: Template,
  queries: QueryCache,
  write: (filled: FilledValue) => string = ({ text }) => text,
): string {
  return message.replace(PLACEHOLDER, (placeholder, name: string) => {
    if (!Object.hasOwn(parameters, name)) return placeholder;
    const compiled = queries.operations(operationsOn(operations, name));
    const value = compiled(parameters[name]);
    return write({ name, value, text: toText(value, compiled.numbers) });
  });
}

/** Parameters with their operations carried out. */
export function applyOperations(parameters: BlockInputs, operations: BlockInputs, queries: QueryCache): BlockInputs {
  const entries = Object.entries(parameters).map(([name, value]) => {
    const list = operationsOn(operations, name);
    return [name, list === undefined ? value : (queries.operations(list)(value) as BlockValue)] as const;
  });
  return Object.fromEntries(entries);
}

function operationsOn(operations: BlockInputs, name: string): object | undefined {
  const list = Object.hasOwn(operations, name) ? operations[name] : undefined;
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}

/** Cut to `limit` characters, with a mark that says so. */
export function truncate(text: string, limit: number): string {
  const mark = "[...]";
  return text.length > limit ? `${text.slice(0, Math.max(0, limit - 1 - mark.length))} ${mark}` : text;
}

/** The text that a step has under this name, with its parameters. */
export function templateOf(inputs: BlockInputs, property = "message"): Template {
  return {
    message: textOf(inputs, property),
    parameters: dictionaryOf(inputs, `${property}_parameters`),
    operations: dictionaryOf(inputs, `${property}_parameters_operations`),
  };
}

/** The files that a message carries. */
export function attachmentsOf(inputs: BlockInputs): readonly { name: string; content: Uint8Array<ArrayBuffer> }[] {
  const files = Object.entries(dictionaryOf(inputs, "attachments"));
  return files.map(([name, value]) => ({ name, content: bytesOf(value) }));
}

/** Pictures as JPEG, other values as text. */
export function bytesOf(value: BlockValue): Uint8Array<ArrayBuffer> {
  if (value instanceof ImageValue) return Uint8Array.from(encodeJpegSync(value, 95));
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  return Uint8Array.from(new TextEncoder().encode(toText(value)));
}

/** Absent and null give an empty one. */
export function dictionaryOf(inputs: BlockInputs, property: string): BlockInputs {
  const value = inputs[property] ?? {};
  if (isDictionary(value)) return value;
  throw inputError(`"${property}" must be a dictionary.`);
}

/** Tells credentials apart without telling them. */
export function credentialsHash(...parts: readonly string[]): string {
  return parts.map((part) => createHash("sha256").update(part).digest("hex")).join(":");
}

/** Value of a provider property that sends through Roboflow's own services. */
export const ROBOFLOW_MANAGED = "Roboflow Managed API Key";

/** Sent by a service of Roboflow, in its name. */
export function proxyDelivery(
  { roboflow }: Effects,
  { failure, destination }: Pick<Delivery, "failure" | "destination">,
  endpoint: string,
  payload: object,
): Delivery {
  return {
    failure,
    destination: `${destination} (through Roboflow)`,
    sent: "Notification sent successfully via Roboflow proxy",
    send: async () => required(roboflow, "Sending through Roboflow")(endpoint, { ...payload }),
  };
}
