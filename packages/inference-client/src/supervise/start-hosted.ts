// workflow + source → validated → counted → started on one server → written down

import { createHash } from "node:crypto";
import type { WorkflowProblem } from "@vision-agent/protocol";
import { type ClientError, clientError, isKind, sentenceOf } from "../errors.ts";
import type { InferenceClient } from "../http/inference-client.ts";
import type { PipelineStart } from "../http/pipeline-calls.ts";
import { endHosted, toClientError } from "./end-hosted.ts";
import { addEntry, type LedgerEntry } from "./pipeline-ledger.ts";
import type { ChosenServer } from "./server-fleet.ts";
import type { HostedTimeouts, SuperviseOptions } from "./supervised-pipeline.ts";

/** In turn on each server, so that what a failed start leaves behind can be told from a start of our own. */
async function startHosted(options: OpenOptions, server: ChosenServer): Promise<LedgerEntry> {
  await validate(options, server);
  return options.supervise.fleet.inTurn(server.label, () => startCounted(options, server));
}

async function validate({ start, timeouts, signal }: OpenOptions, { client, label }: ChosenServer): Promise<void> {
  if (!("specification" in start.workflow)) return;
  const { specification } = start.workflow;
  const problems = await client.workflows.validate(specification, { timeoutMs: timeouts.validateMs, signal });
  if (problems.length === 0) return;
  throw clientError(
    "invalid",
    `Server "${label}" cannot run the workflow. ${problems.map(problemSentence).join(" ")}`,
    { blocks: problems.map(({ step, property, message }) => ({ step, property, message, blockType: null })) },
  );
}

function problemSentence({ step, property, message }: WorkflowProblem): string {
  const place = [step, property].filter((part) => part !== null).join(".");
  return place === "" ? message : `${place}: ${message}`;
}

async function startCounted(options: OpenOptions, server: ChosenServer): Promise<LedgerEntry> {
  const { timeouts, signal, fingerprint } = options;
  const { pipelineId, fleet, ledger, clock } = options.supervise;
  const { client, label } = server;
  signal.throwIfAborted();
  const before = await client.pipelines.list({ timeoutMs: timeouts.controlMs, signal });
  if (before.length >= fleet.pipelineLimit) {
    throw clientError(
      "busy",
      `Server "${label}" is full: ${before.length} of ${fleet.pipelineLimit} pipelines. Stop one of them first.`,
    );
  }
  const serverId = await initialise(options, server, before);
  const entry: LedgerEntry = {
    pipelineId,
    server: label,
    serverId,
    fingerprint,
    state: "running",
    since: clock.now(),
  };
  try {
    await addEntry(ledger, entry);
  } catch (error) {
    await endHosted(client, serverId, { clock, timeoutMs: timeouts.controlMs });
    throw error;
  }
  return entry;
}

async function initialise(options: OpenOptions, server: ChosenServer, before: readonly string[]): Promise<string> {
  const { start, timeouts } = options;
  try {
    // Not cut by the signal: what a server has begun must be known to be ended.
    return await server.client.pipelines.initialise(start, { timeoutMs: timeouts.initialiseMs });
  } catch (error) {
    // A server that does not answer cannot be tidied up now, nor one that fails at it: the first error is the one to tell.
    if (!isKind(error, "network", "timeout")) await removePhantoms(options, server, before).catch(() => undefined);
    throw error;
  }
}

const SECOND_LOOK_MS = 1000;

/**
 * A failed start leaves an id in the server's list that counts against its limit. Only ids that are new, not in our
 * ledger, and empty at two looks are ended: a pipeline that somebody else is starting right now fills up in between.
 */
async function removePhantoms(
  { supervise: { clock, ledger }, timeouts }: OpenOptions,
  { client, label }: ChosenServer,
  before: readonly string[],
): Promise<void> {
  const call = { timeoutMs: timeouts.controlMs };
  const ours = (await ledger.load()).filter(({ server }) => server === label).map(({ serverId }) => serverId);
  const known = new Set([...before, ...ours]);
  const fresh = (await client.pipelines.list(call)).filter((id) => !known.has(id));
  if (fresh.length === 0) return;
  const suspects = await emptyOnes(client, fresh, call);
  await clock.sleep(SECOND_LOOK_MS);
  for (const id of await emptyOnes(client, suspects, call)) {
    await endHosted(client, id, { clock, timeoutMs: timeouts.controlMs });
  }
}

async function emptyOnes(
  client: InferenceClient,
  ids: readonly string[],
  call: { readonly timeoutMs: number },
): Promise<readonly string[]> {
  const reports = await Promise.all(
    // One that does not tell its state is not known to be empty, and stays.
    ids.map(async (id) => ({ id, report: await client.pipelines.status(id, call).catch(() => undefined) })),
  );
  return reports.filter(({ report }) => report?.sources.length === 0).map(({ id }) => id);
}

/** Below it a short hiccup of ours would end the pipeline. */
const SHORTEST_CONSUMPTION_TIMEOUT_S = 10;
const CONSUMPTION_TIMEOUT_S = 30;

/** Fills in what the kind of source needs; what the caller set stays. */
export function toHostedStart(start: PipelineStart, isFile: boolean): PipelineStart {
  const common = { resultsBufferSize: 64, ...start };
  // A file loses frames with any other filling, and its end with a larger decoding buffer. A consumption timeout that fires
  // while its decoder waits blocks the server's stream manager for good, and a file ends by itself: so it gets none.
  if (isFile) return { filling: "WAIT", consumption: "LAZY", decodingBufferSize: 1, ...common };
  const wanted = start.consumptionTimeoutS ?? CONSUMPTION_TIMEOUT_S;
  const consumptionTimeoutS = Math.max(SHORTEST_CONSUMPTION_TIMEOUT_S, wanted);
  return { filling: "DROP_OLDEST", consumption: "EAGER", ...common, consumptionTimeoutS };
}

/** The same workflow, source and settings give the same text; nothing can be read out of it. */
export function fingerprintOf(start: PipelineStart, isFile: boolean): string {
  const text = JSON.stringify(sortKeys({ start: toHostedStart(start, isFile), isFile }));
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}

/** A pipeline on its server. */
export interface Hosted {
  readonly entry: LedgerEntry;
  readonly client: InferenceClient;
  /** Why this server. */
  readonly placement: string;
}

export interface OpenOptions {
  readonly supervise: SuperviseOptions;
  readonly start: PipelineStart;
  readonly fingerprint: string;
  readonly timeouts: HostedTimeouts;
  readonly avoid: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** Throws `ClientError`: what the one server said, or what each of them said. */
export async function openHosted(options: OpenOptions): Promise<Hosted> {
  const { supervise, signal } = options;
  const avoid = new Set(options.avoid);
  const refusals: ClientError[] = [];
  for (;;) {
    const server = await chooseServer(options, avoid, refusals);
    const { label, client, reason } = server;
    try {
      return { entry: await startHosted(options, server), client, placement: reason };
    } catch (error) {
      signal.throwIfAborted();
      const refusal = toClientError(error);
      if (isKind(refusal, "network", "timeout", "protocol")) supervise.fleet.noteFailure(label, refusal.message);
      refusals.push(refusal);
      avoid.add(label);
    }
  }
}

async function chooseServer(
  { supervise, signal }: OpenOptions,
  avoid: ReadonlySet<string>,
  refusals: readonly ClientError[],
): Promise<ChosenServer> {
  try {
    return await supervise.fleet.choose({ for: "pipeline", avoid }, signal);
  } catch (error) {
    throw refusals.length === 0 ? error : joinRefusals(refusals);
  }
}

/** One kind for all only where all say the same. */
function joinRefusals(refusals: readonly ClientError[]): ClientError {
  const [first, ...others] = refusals;
  if (first && others.length === 0) return first;
  return clientError(
    first && others.every(({ kind }) => kind === first.kind) ? first.kind : "network",
    refusals.map(({ message }) => message).join(" "),
    { blocks: first?.blocks ?? [], cause: first },
  );
}

/** The number of frames of a file, where the caller can tell. Throws `invalid` for a file, `network` for a stream. */
export async function probeSource(
  { probe, isFile }: SuperviseOptions,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (!probe) return undefined;
  try {
    return (await probe(signal))?.totalFrames;
  } catch (error) {
    signal.throwIfAborted();
    const message = `The source cannot be read: ${sentenceOf(error)}`;
    throw clientError(isFile ? "invalid" : "network", message, { cause: error });
  }
}
