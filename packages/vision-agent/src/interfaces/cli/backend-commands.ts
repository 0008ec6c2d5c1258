// backend list and backend parity → tables or JSON, and an exit code
import { type ServerStatus, type WorkflowSpec, workflowSpecSchema } from "@vision-agent/protocol";
import { detectionWorkflow } from "../../backends/detection-workflow.ts";
import type { ParityComparison, ParityReport, ParityRun } from "../../backends/parity.ts";
import { parseJson } from "../../workspace/parse-json.ts";
import type { AppLauncher, BackendTools, JsonFlags, ParityFlags } from "./app-flags.ts";
import { EXIT_FAILED, UsageError } from "./exit-codes.ts";
import { toJsonText, toTable } from "./list-text.ts";

export interface BackendCommandOptions {
  readonly launcher: Pick<AppLauncher, "openBackends">;
  readonly write: (text: string) => void;
  readonly notice: (message: string) => void;
}

export interface ParityCommandOptions extends BackendCommandOptions {
  /** Rejects with `UsageError` when the file cannot be read. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
}

const USUAL_MODEL = "coco/3";

/** Exit code 0 when a server answers. */
export async function listBackends(options: BackendCommandOptions, flags: JsonFlags): Promise<number> {
  return withBackendTools(options, flags, async (setup) => {
    const servers = await setup.servers();
    const { configured } = setup;
    options.write(flags.json ? toJsonText({ configured, servers }) : describeServers(configured, servers));
    return servers.some(({ reachable }) => reachable) ? 0 : EXIT_FAILED;
  });
}

/** Exit code 0 when all that ran agree. Throws `UsageError`. */
export async function compareBackends(options: ParityCommandOptions, flags: ParityFlags): Promise<number> {
  const { image, camera } = flags;
  if ((image === undefined) === (camera === undefined)) {
    throw new UsageError("Give --image FILE or --camera NAME, one of the two.");
  }
  const spec = await toSpec(options, flags);
  const picture = image === undefined ? undefined : await options.readFile(image);
  return withBackendTools(options, flags, async (setup) => {
    const report = await setup.compare(spec, picture ?? (await setup.capture(camera ?? "")));
    const servers = await setup.servers();
    options.write(flags.json ? toJsonText({ ...report, servers }) : describeParity(report, servers));
    return report.agrees ? 0 : EXIT_FAILED;
  });
}

async function withBackendTools(
  { launcher, notice }: BackendCommandOptions,
  { workspace }: JsonFlags,
  work: (setup: BackendTools) => Promise<number>,
): Promise<number> {
  const setup = await launcher.openBackends({ workspace }, notice);
  try {
    return await work(setup);
  } finally {
    await setup.close();
  }
}

async function toSpec({ readFile }: ParityCommandOptions, { spec, model }: ParityFlags): Promise<WorkflowSpec> {
  if (spec !== undefined && model !== undefined) throw new UsageError("Give --spec FILE or --model ID, not both.");
  if (spec === undefined) return detectionWorkflow({ modelId: model ?? USUAL_MODEL });
  const parsed = workflowSpecSchema.safeParse(parseJson(new TextDecoder().decode(await readFile(spec))));
  if (parsed.success) return parsed.data;
  throw new UsageError(`${spec} is no workflow: JSON with version, inputs, steps and outputs was expected.`);
}

function describeServers(configured: string, servers: readonly ServerStatus[]): string {
  const rows = servers.map(({ label, url, reachable, version, latency_ms, pipelines }) => [
    label,
    url,
    reachable ? "yes" : "no",
    version ?? "-",
    toMs(latency_ms),
    pipelines === null ? "-" : String(pipelines),
  ]);
  const table = toTable([["server", "address", "reachable", "version", "latency", "pipelines"], ...rows]);
  return `inference.backend is ${configured}.\n\n${table}${notesOf(servers)}`;
}

function notesOf(servers: readonly ServerStatus[]): string {
  return servers.flatMap(({ label, note }) => (note === null ? [] : [`${label}: ${note}\n`])).join("");
}

function describeParity(report: ParityReport, servers: readonly ServerStatus[]): string {
  const runs = toTable([["backend", "boxes", "first", "again", "itself", ""], ...report.runs.map(describeRun)]);
  const pairs = report.comparisons.map(describeComparison);
  const compared = pairs.length === 0 ? "" : `\n${toTable([["compared", "output", "same", "apart", ""], ...pairs])}`;
  const notes = report.runs.flatMap((run) =>
    "notes" in run ? run.notes.map((note) => `${run.backend}: ${note}\n`) : [],
  );
  return `${runs}${compared}\n${notes.join("")}${notesOf(servers)}${verdictOf(report)}\n`;
}

function describeRun(run: ParityRun): readonly string[] {
  if ("failure" in run) return [run.backend, "-", "-", "-", "-", `did not run: ${run.failure}`];
  const { backend, boxes, first_ms, again_ms, latency_ms } = run;
  return [backend, String(boxes), ...[first_ms, again_ms, latency_ms || null].map(toMs), ""];
}

function toMs(ms: number | null): string {
  return ms === null ? "-" : `${Math.round(ms)} ms`;
}

function describeComparison(compared: ParityComparison): readonly string[] {
  const { output, backends, counts, matched, worst_px = 0, worst_score = 0, values = [], agrees } = compared;
  const same = counts ? `${matched} of ${counts.join(" and ")}` : values.join(" and ");
  const apart = counts ? `${worst_px.toFixed(1)} px, ${worst_score.toFixed(3)}` : "";
  return [backends.join(" and "), output, same, apart, agrees ? "agrees" : "DIFFERS"];
}

function verdictOf({ runs, comparisons, agrees }: ParityReport): string {
  const ran = runs.filter((run) => "outputs" in run).map(({ backend }) => backend);
  if (ran.length < 2) return `There is nothing to compare: ${ran[0] ?? "no backend"} alone could run.`;
  if (comparisons.length === 0) return "There is nothing to compare: the workflow gives neither boxes nor numbers.";
  return agrees ? `${ran.join(", ")} agree.` : `${ran.join(", ")} do not agree.`;
}
