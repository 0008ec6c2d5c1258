// inputs of a step → disabled, throttled, sent or failed
import { EngineError } from "../../errors.ts";
import { createQueryCache, type QueryCache } from "../../query/query-cache.ts";
import type { Block, BlockContext, BlockInputs, BlockOutputs } from "../block.ts";
import { numberOf } from "../block-inputs.ts";
import type { Effects } from "../effects.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { createCooldown } from "./cooldown.ts";

/** A notification that is ready: `send` gives the sentence of success. */
export interface Delivery {
  readonly send: () => Promise<string>;
  /** What failed, as the beginning of a sentence; the reason follows. */
  readonly failure: string;
  /** Never told, wherever they turn up in an error. */
  readonly secrets: readonly string[];
}

/** Why a notification cannot be sent at all; starts no cooldown. */
export interface Refusal {
  readonly refused: string;
}

export interface NotificationTools {
  readonly effects: Effects;
  readonly queries: QueryCache;
}

export interface NotificationBlock {
  readonly type: string;
  readonly description: string;
  readonly phrase: string;
  /** Which blocks share a cooldown; absent for one of its own. */
  readonly cooldownKey?: (inputs: BlockInputs) => string;
  readonly prepare: (inputs: BlockInputs, tools: NotificationTools) => Delivery | Refusal | Promise<Delivery | Refusal>;
}

export const SENT = "Notification sent successfully";
const SENT_IN_BACKGROUND = "Notification sent in the background task";

/** The order that all notifications keep: disabled, cooldown, prepare, cooldown starts, send. */
export function notificationBlock(definition: NotificationBlock): Block {
  return {
    manifest: manifestOf(definition.type),
    description: definition.description,
    phrase: () => definition.phrase,
    create: (context) => ({ run: createNotifier(definition, context) }),
  };
}

function createNotifier(definition: NotificationBlock, context: BlockContext) {
  const { effects, now } = context;
  const tools: NotificationTools = { effects, queries: createQueryCache(context) };
  const cooldown = createCooldown(now, definition.cooldownKey === undefined ? undefined : effects.cooldowns);
  return async (inputs: BlockInputs): Promise<BlockOutputs> => {
    const disabled = disabledMessage(effects, inputs);
    if (disabled !== undefined) return outcome({ message: disabled });
    const key = definition.cooldownKey?.(inputs) ?? "";
    if (cooldown.applies(key, numberOf(inputs, "cooldown_seconds"))) {
      return outcome({ message: "Sink cooldown applies", throttled: true });
    }
    const delivery = await definition.prepare(inputs, tools);
    if ("refused" in delivery) return outcome({ message: delivery.refused, failed: true });
    // Before sending: an attempt that fails starts the cooldown too.
    cooldown.start(key);
    if (inputs.fire_and_forget === true && effects.background !== undefined) {
      effects.background(deliver(delivery).then(({ failed, message }) => (failed ? message : undefined)));
      return outcome({ message: SENT_IN_BACKGROUND });
    }
    return outcome(await deliver(delivery));
  };
}

interface Outcome {
  readonly message: string;
  readonly failed?: boolean;
  readonly throttled?: boolean;
}

function outcome({ message, failed = false, throttled = false }: Outcome): BlockOutputs {
  return { error_status: failed, throttling_status: throttled, message };
}

/** Why a sink does nothing; absent when it may. */
export function disabledMessage(effects: Effects, inputs: BlockInputs): string | undefined {
  if (effects.sinksDisabled === true) return "Sink was disabled by workflow execution policy";
  return inputs.disable_sink === true ? "Sink was disabled by parameter `disable_sink`" : undefined;
}

async function deliver({ send, failure, secrets }: Delivery): Promise<{ failed: boolean; message: string }> {
  try {
    return { failed: false, message: await send() };
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
  throw new EngineError({ kind: "input", message: `${what} is not set up here.`, type: "RuntimeError" });
}
