// what is known of the servers → what people are told of them
import type { ServerFleet, ServerReport } from "@vision-agent/inference-client";
import type { ServerStatus } from "@vision-agent/protocol";

export interface ServerStatusOptions {
  readonly fleet: Pick<ServerFleet, "report"> & { client(label: string): VersionedClient | undefined };
  /** Version of the workflow language on this machine. */
  readonly engineVersion: string;
  readonly signal?: AbortSignal;
}

interface VersionedClient {
  readonly workflows: { versions(options?: { readonly timeoutMs?: number }): Promise<readonly string[]> };
}

const VERSIONS_MS = 3000;

/** Never rejects for a server that is ill: its note says what is wrong. */
export async function loadServerStatus(options: ServerStatusOptions): Promise<readonly ServerStatus[]> {
  const { fleet, signal } = options;
  const reports = await fleet.report(signal);
  const newest = newestOf(reports);
  return Promise.all(
    reports.map(async (report) => ({
      label: report.label,
      url: report.url,
      reachable: report.healthy,
      version: report.version ?? null,
      latency_ms: report.latencyMs ?? null,
      pipelines: report.pipelines ?? null,
      note: joined([report.reason, report.skew, behind(report, newest), await languageSkew(report, options)]),
    })),
  );
}

/** The servers of an app should speak alike; the odd one is named. */
function behind({ healthy, version }: ServerReport, newest: string | undefined): string | undefined {
  if (!healthy || version === undefined || version === newest) return undefined;
  return `Another of the servers has version ${newest}: the same workflow may give something else there.`;
}

function newestOf(reports: readonly ServerReport[]): string | undefined {
  const versions = reports.filter(({ healthy }) => healthy).flatMap(({ version }) => version ?? []);
  return versions.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
}

async function languageSkew(
  { healthy, label }: ServerReport,
  { fleet, engineVersion }: ServerStatusOptions,
): Promise<string | undefined> {
  if (!healthy) return undefined;
  try {
    const versions = (await fleet.client(label)?.workflows.versions({ timeoutMs: VERSIONS_MS })) ?? [];
    if (versions.includes(engineVersion) || versions.length === 0) return undefined;
    return `It speaks workflow language ${versions.join(", ")}, this machine ${engineVersion}.`;
  } catch (error) {
    return `It does not say which workflow language it speaks: ${error instanceof Error ? error.message : error}`;
  }
}

function joined(sentences: readonly (string | undefined)[]): string | null {
  const told = sentences.filter((sentence) => sentence !== undefined);
  return told.length === 0 ? null : told.join(" ");
}
