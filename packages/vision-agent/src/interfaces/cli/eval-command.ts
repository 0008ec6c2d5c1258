// eval → a set is run on one who answers → a table, a report in two files, an exit code
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Clock } from "@vision-agent/agent-core";
import { EvalSetError, loadEvalSet, type SetFiles } from "../../evals/load-eval-set.ts";
import type { EvalConfig } from "../../evals/prepare-app.ts";
import { createReport, type EvalReport, toMarkdownReport, toReportRows } from "../../evals/report.ts";
import { type EvalResult, runEvals } from "../../evals/run-evals.ts";
import { readTruth } from "../../scene/simulated-truth.ts";
import { errorCode } from "../../workspace/file-port.ts";
import { nodeFiles } from "../../workspace/node-files.ts";
import type { AppLauncher } from "./app-flags.ts";
import { EXIT_FAILED, UsageError } from "./exit-codes.ts";
import { toJsonText, toTable } from "./list-text.ts";
import { type OpenEvalApp, openEvalApp } from "./open-eval-app.ts";

export interface EvalFlags {
  /** Who answers; keys come from the environment. */
  readonly provider: string;
  /** Absent: the provider's default. */
  readonly model?: string;
  /** Folder of instruction files; absent: those of this project. */
  readonly set?: string;
  /** Name of one instruction or one family. */
  readonly only?: string;
  /** The report as JSON instead of a table. */
  readonly json: boolean;
  /** Folder for `report.json` and `report.md`. Default `eval-report` where the command runs. */
  readonly report?: string;
}

export interface EvalCommandOptions {
  readonly launcher: Pick<AppLauncher, "start">;
  readonly write: (text: string) => void;
  readonly notice: (message: string) => void;
  /** Absolute path of the instruction files of this project. */
  readonly ownSet: string;
  /** Folder in which a folder for workspaces is made, and removed in the end. */
  readonly temporaryFolder: string;
  readonly clock: Clock;
  /** Name of the zone that people's clocks show. */
  readonly timeZone: string;
}

const NOBODY = "http://127.0.0.1:9";
const USUAL_REPORT = "eval-report";
/** Most of an instruction is waiting for an app to start and for pictures to come. */
const AT_ONCE = 3;

/** Exit code 0 when every instruction could be run, whatever came of it. Throws `UsageError`. */
export async function runEvalCommand(options: EvalCommandOptions, flags: EvalFlags): Promise<number> {
  const { clock } = options;
  const config = toConfig(flags);
  const set = await loadSet(resolve(flags.set ?? options.ownSet), flags.only);
  const scratch = await mkdtemp(join(options.temporaryFolder, "vision-agent-eval-"));
  try {
    const openApp = (folder: string): Promise<OpenEvalApp> => openEvalApp(options.launcher, folder, clock.now);
    const speaker = await findSpeaker(openApp, join(scratch, "probe"), { config, provider: flags.provider });
    const [started_at, startMs] = [new Date(clock.now()).toISOString(), clock.monotonic()];
    const results = await runEvals({
      set,
      openApp,
      config,
      files: nodeFiles,
      scratch,
      readPicture: (path) => readFile(path),
      readTruth,
      clock,
      timeZone: options.timeZone,
      atOnce: AT_ONCE,
      onResult: (result) => options.notice(describeResult(result)),
    });
    const report = createReport(results, { speaker, started_at, wall_ms: Math.round(clock.monotonic() - startMs) });
    const folder = resolve(flags.report ?? USUAL_REPORT);
    await writeReport(report, folder);
    options.write(
      flags.json ? toJsonText(report) : `\n${toTable(toReportRows(report))}\nThe report is in ${folder}.\n`,
    );
    return results.some(({ failure }) => failure !== null) ? EXIT_FAILED : 0;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function toConfig({ provider, model }: EvalFlags): EvalConfig {
  return {
    llm: { provider, ...(model !== undefined && { model }) },
    // What an instruction says is saved at Roboflow is all that there is, whoever has a key.
    inference: { roboflow_api_url: NOBODY },
    demo: false,
  };
}

async function loadSet(folder: string, only: string | undefined) {
  try {
    return await loadEvalSet(SET_FILES, folder, only);
  } catch (error) {
    if (error instanceof EvalSetError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

const SET_FILES: SetFiles = {
  list: (folder) =>
    readdir(folder).catch((error: unknown) => {
      if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return undefined;
      throw error;
    }),
  readText: (path) => readFile(path, "utf8"),
};

/** Without a key the offline interpreter stands in, and its rates must not pass for those of a model. */
async function findSpeaker(
  openApp: (folder: string) => Promise<OpenEvalApp>,
  folder: string,
  { config, provider }: { readonly config: EvalConfig; readonly provider: string },
): Promise<string> {
  await nodeFiles.makeFolder(folder);
  await nodeFiles.writeAtomic(join(folder, "config.yaml"), JSON.stringify(config));
  const { mode, speaker, stop } = await openApp(folder);
  await stop();
  if (mode === "offline" && provider !== "offline") {
    throw new UsageError(
      `There is no key for ${provider} in the environment, so no model would answer. Set it, or take --provider offline.`,
    );
  }
  return speaker;
}

function describeResult(result: EvalResult): string {
  const { family, name, duration_ms } = result;
  return `${family}/${name}: ${verdictOn(result)} (${(duration_ms / 1000).toFixed(1)} s)`;
}

function verdictOn({ first_try, after_correction, failure }: EvalResult): string {
  if (failure !== null) return `could not be run: ${failure}`;
  if (first_try) return "right";
  return after_correction ? "right after the correction" : "wrong";
}

async function writeReport(report: EvalReport, folder: string): Promise<void> {
  await nodeFiles.makeFolder(folder);
  await nodeFiles.writeAtomic(join(folder, "report.json"), toJsonText(report));
  await nodeFiles.writeAtomic(join(folder, "report.md"), toMarkdownReport(report));
}
