// one server → is it well, which version, how loaded
import type { ClientClock } from "../client-clock.ts";
import { isKind, sentenceOf } from "../errors.ts";
import type { InferenceClient } from "../http/inference-client.ts";
import type { CallOptions } from "../http/transport.ts";

/** One server as the configuration names it. */
export interface FleetServer {
  /** Unique in the fleet. */
  readonly label: string;
  readonly client: InferenceClient;
}

/** What is known of one server. */
export interface ServerReport {
  readonly label: string;
  /** Without credentials. */
  readonly url: string;
  /** It answers and calls itself healthy. */
  readonly healthy: boolean;
  readonly version: string | undefined;
  /** How its version differs from those this client was measured with, in one sentence; undefined when it does not. */
  readonly skew: string | undefined;
  /** Of `/info`. */
  readonly latencyMs: number | undefined;
  /** Hosted pipelines, ours and others'; undefined when the server cannot tell. */
  readonly pipelines: number | undefined;
  /** False when hosted pipelines are switched off or their manager does not answer; a full server still says true. */
  readonly takesPipelines: boolean;
  /** The most it takes. */
  readonly pipelineLimit: number;
  /** Why it is not healthy, or why it takes no pipelines, in one sentence. */
  readonly reason: string | undefined;
}

export interface CheckOptions {
  readonly clock: ClientClock;
  /** Of each call. */
  readonly timeoutMs: number;
  readonly pipelineLimit: number;
  readonly signal: AbortSignal;
}

/** Never throws: what fails becomes the reason. */
export async function checkServer({ label, client }: FleetServer, options: CheckOptions): Promise<ServerReport> {
  const { clock, pipelineLimit, timeoutMs, signal } = options;
  const call: CallOptions = { timeoutMs, signal };
  const begun = clock.monotonic();
  const basics = { label, url: client.url, pipelineLimit };
  try {
    const [{ version, latencyMs }, illness, hosted] = await Promise.all([
      client.info(call).then((info) => ({ version: info.version, latencyMs: clock.monotonic() - begun })),
      illnessOf(client, call),
      countPipelines(client, call),
    ]);
    const known = { ...basics, version, skew: versionSkew(version), latencyMs };
    return { ...known, ...hosted, healthy: illness === undefined, reason: illness ?? hosted.reason };
  } catch (error) {
    return unhealthyReport({ label, client }, { reason: sentenceOf(error), pipelineLimit });
  }
}

export function unhealthyReport(
  { label, client }: FleetServer,
  known: { readonly reason: string; readonly pipelineLimit: number },
): ServerReport {
  return {
    label,
    url: client.url,
    healthy: false,
    version: undefined,
    skew: undefined,
    latencyMs: undefined,
    pipelines: undefined,
    takesPipelines: false,
    ...known,
  };
}

async function illnessOf(client: InferenceClient, call: CallOptions): Promise<string | undefined> {
  const health = await client.health(call);
  return health.healthy ? undefined : `It calls itself unhealthy: ${health.reason}.`;
}

type Hosted = Pick<ServerReport, "pipelines" | "takesPipelines" | "reason">;

/** The rest of a server may be well while its stream manager is not, or is switched off. */
async function countPipelines(client: InferenceClient, call: CallOptions): Promise<Hosted> {
  try {
    const { length } = await client.pipelines.list(call);
    return { pipelines: length, takesPipelines: true, reason: undefined };
  } catch (error) {
    if (isKind(error, "unsupported", "not_found")) {
      return { pipelines: 0, takesPipelines: false, reason: "It has no hosted pipelines (ENABLE_STREAM_API is off)." };
    }
    const reason = `Its stream manager does not answer: ${sentenceOf(error)}`;
    return { pipelines: undefined, takesPipelines: false, reason };
  }
}

const OLDEST = [1, 5] as const;
const NEWEST = [1, 8] as const;

/** How a server's version differs from what this client was measured with; undefined when it does not. */
export function versionSkew(version: string): string | undefined {
  const found = /^(\d+)\.(\d+)/.exec(version);
  if (!found) return `Its version "${version}" cannot be read.`;
  const own = [Number(found[1]), Number(found[2])] as const;
  if (isBefore(own, OLDEST)) return `Version ${version} is older than ${OLDEST.join(".")}, the oldest one tried.`;
  if (isBefore(NEWEST, own)) return `Version ${version} is newer than ${NEWEST.join(".")}, the newest one tried.`;
  if (isBefore(own, NEWEST)) {
    return `Version ${version} is older than ${NEWEST.join(".")}: a pipeline that ends can block its stream manager.`;
  }
  return undefined;
}

function isBefore(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
}
