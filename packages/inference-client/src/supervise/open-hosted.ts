// source probed → best server → started; the next server when one refuses
import { ClientError } from "../errors.ts";
import type { InferenceClient, PipelineStart } from "../http/inference-client.ts";
import { isKind, sentenceOf, toClientError } from "./client-failure.ts";
import type { ChosenServer } from "./fleet-types.ts";
import type { LedgerEntry } from "./pipeline-ledger.ts";
import { startHosted } from "./start-hosted.ts";
import type { HostedTimeouts, SuperviseOptions } from "./supervised-pipeline.ts";

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
  const { supervise, start, fingerprint, timeouts, signal } = options;
  const { pipelineId, fleet, ledger, clock } = supervise;
  const avoid = new Set(options.avoid);
  const refusals: ClientError[] = [];
  for (;;) {
    const { label, client, reason } = await chooseServer(options, avoid, refusals);
    try {
      const request = { pipelineId, label, client, fleet, ledger, start, fingerprint, clock, timeouts, signal };
      return { entry: await startHosted(request), client, placement: reason };
    } catch (error) {
      signal.throwIfAborted();
      const refusal = toClientError(error);
      if (isKind(refusal, "network", "timeout", "protocol")) fleet.noteFailure(label, refusal.message);
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
  return new ClientError({
    kind: first && others.every(({ kind }) => kind === first.kind) ? first.kind : "network",
    message: refusals.map(({ message }) => message).join(" "),
    blocks: first?.blocks ?? [],
    cause: first,
  });
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
    throw unreadable(error, isFile);
  }
}

function unreadable(cause: unknown, isFile: boolean): ClientError {
  const message = `The source cannot be read: ${sentenceOf(cause)}`;
  return new ClientError({ kind: isFile ? "invalid" : "network", message, cause });
}
