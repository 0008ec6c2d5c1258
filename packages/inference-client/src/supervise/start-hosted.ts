// workflow + source → validated → counted → started on one server → written down
import type { WorkflowProblem } from "@vision-agent/protocol";
import type { ClientClock } from "../client-clock.ts";
import { ClientError } from "../errors.ts";
import type { InferenceClient, PipelineStart } from "../http/inference-client.ts";
import { isKind } from "./client-failure.ts";
import { endHosted } from "./end-hosted.ts";
import type { ServerFleet } from "./fleet-types.ts";
import { addEntry, type LedgerEntry, type PipelineLedger } from "./pipeline-ledger.ts";
import type { HostedTimeouts } from "./supervised-pipeline.ts";

export interface StartHostedOptions {
  readonly pipelineId: string;
  readonly label: string;
  readonly client: InferenceClient;
  readonly fleet: ServerFleet;
  readonly ledger: PipelineLedger;
  /** Complete, as `toHostedStart` makes it. */
  readonly start: PipelineStart;
  readonly fingerprint: string;
  readonly clock: ClientClock;
  readonly timeouts: HostedTimeouts;
  /** Does not cut the start itself: what a server has begun must be known to be ended. */
  readonly signal: AbortSignal;
}

/** In turn on each server, so that what a failed start leaves behind can be told from a start of our own. */
export async function startHosted(options: StartHostedOptions): Promise<LedgerEntry> {
  await validate(options);
  return options.fleet.inTurn(options.label, () => startCounted(options));
}

async function validate({ client, start, timeouts, signal, label }: StartHostedOptions): Promise<void> {
  if (!("specification" in start.workflow)) return;
  const { specification } = start.workflow;
  const problems = await client.workflows.validate(specification, { timeoutMs: timeouts.validateMs, signal });
  if (problems.length === 0) return;
  throw new ClientError({
    kind: "invalid",
    message: `Server "${label}" cannot run the workflow. ${problems.map(problemSentence).join(" ")}`,
    blocks: problems.map(({ step, property, message }) => ({ step, property, message, blockType: null })),
  });
}

function problemSentence({ step, property, message }: WorkflowProblem): string {
  const place = [step, property].filter((part) => part !== null).join(".");
  return place === "" ? message : `${place}: ${message}`;
}

async function startCounted(options: StartHostedOptions): Promise<LedgerEntry> {
  const { client, label, timeouts, signal, clock, ledger } = options;
  signal.throwIfAborted();
  const before = await client.pipelines.list({ timeoutMs: timeouts.controlMs, signal });
  if (before.length >= options.fleet.pipelineLimit) {
    throw new ClientError({
      kind: "busy",
      message: `Server "${label}" is full: ${before.length} of ${options.fleet.pipelineLimit} pipelines. Stop one of them first.`,
    });
  }
  const serverId = await initialise(options, before);
  const entry: LedgerEntry = {
    pipelineId: options.pipelineId,
    server: label,
    serverId,
    fingerprint: options.fingerprint,
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

async function initialise(options: StartHostedOptions, before: readonly string[]): Promise<string> {
  const { client, start, timeouts } = options;
  try {
    return await client.pipelines.initialise(start, { timeoutMs: timeouts.initialiseMs });
  } catch (error) {
    // A server that does not answer cannot be tidied up now; it forgets the rest when it restarts.
    if (!isKind(error, "network", "timeout")) await removePhantoms(options, before).catch(() => undefined);
    throw error;
  }
}

const SECOND_LOOK_MS = 1000;

/**
 * A failed start leaves an id in the server's list that counts against its limit. Only ids that are new, not in our
 * ledger, and empty at two looks are ended: a pipeline that somebody else is starting right now fills up in between.
 */
async function removePhantoms(options: StartHostedOptions, before: readonly string[]): Promise<void> {
  const { client, clock, timeouts, label, ledger } = options;
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
    ids.map(async (id) => ({ id, report: await client.pipelines.status(id, call).catch(() => undefined) })),
  );
  return reports.filter(({ report }) => report?.sources.length === 0).map(({ id }) => id);
}
