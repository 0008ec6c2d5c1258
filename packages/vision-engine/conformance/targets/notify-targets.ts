import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Block, BlockInputs } from "../../src/blocks/block.ts";
import { BLOCK_FAMILIES } from "../../src/blocks/block-catalog.ts";
import type { Effects } from "../../src/blocks/effects.ts";
import { applyOperations, fillTemplate, truncate } from "../../src/blocks/notify/notification.ts";
import { createFileFolder, isWithin } from "../../src/effects/create-effects.ts";
import { EngineError } from "../../src/errors.ts";
import { createQueryCache } from "../../src/query/statements.ts";
import { contextOf, inputsOf } from "../block-call.ts";
import type { Driver, Drivers, RecordedObject } from "../vector-record.ts";

const QUERIES = createQueryCache({ now: () => 0, random: () => 0.5 });

export const NOTIFY_DRIVERS: Drivers = {
  "email_notification.format_email_message": (input) => filled(input),
  "notification.format_message": (input) => filled(input),
  "sms.format_message": (input) => truncate(filled(input), Number(input.length_limit)),
  "webhook.execute_operations_on_parameters": ({ parameters, operations }) =>
    applyOperations(parameters as BlockInputs, operations as BlockInputs, QUERIES),
  "local_file.path_is_within_specified_directory": ({ path, specified_directory }) =>
    isWithin(String(path), String(specified_directory)),
  ...Object.fromEntries(BLOCK_FAMILIES.notify.map((block) => [block.manifest.type, sinkDriver(block)])),
};

function filled({ message, message_parameters, message_parameters_operations }: RecordedObject): string {
  const parameters = message_parameters as BlockInputs;
  const operations = message_parameters_operations as BlockInputs;
  return fillTemplate({ message: String(message), parameters, operations }, QUERIES);
}

/** Runs a sink on ways out that take everything and send nothing; files go to a fresh folder. */
function sinkDriver(block: Block): Driver {
  return async (input) => {
    const folder = mkdtempSync(join(tmpdir(), "sinks-"));
    const placed = JSON.parse(JSON.stringify(input).replaceAll("<TMPDIR>", folder)) as RecordedObject;
    const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
    const begin = clock.now;
    const effects = fakeEffects((placed.init ?? {}) as RecordedObject, folder);
    const instance = await block.create(contextOf(clock, { effects }));
    const results: unknown[] = [];
    for (const [at, call] of (placed.calls as readonly RecordedObject[]).entries()) {
      clock.now = begin + 1000 * Number((placed.at_seconds as readonly number[] | undefined)?.[at] ?? 0);
      const inputs = await inputsOf(block.manifest, call);
      results.push(await outcomeOf(async () => instance.run(inputs)));
    }
    return { results };
  };
}

function fakeEffects(init: RecordedObject, folder: string): Effects {
  const takesBackground = (init.background_tasks ?? null) !== null || (init.thread_pool_executor ?? null) !== null;
  const allowed = (init.allowed_write_directory ?? null) === null ? folder : String(init.allowed_write_directory);
  return {
    http: async () => Response.json({ ok: true }),
    mail: async () => undefined,
    connectBroker: async () => ({ publish: async () => undefined }),
    putObject: async () => undefined,
    roboflow: async () => undefined,
    files: createFileFolder(allowed),
    cooldowns: new Map(),
    sinksDisabled: init.disable_sinks === true,
    ...(takesBackground && { background: () => undefined }),
  };
}

/** What a call gives, or the error that it throws. */
async function outcomeOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
}
