// everything an app needs → checks → what is wrong and how to mend it
import { EXIT_FAILED } from "./exit-codes.ts";
import type { Colours } from "./print-run.ts";

/** `warn` something is missing that can be done without · `fail` it does not work. */
export interface Finding {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  /** What was found, in one sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly mend?: string;
}

/** Looks at one thing. May find several things, or nothing worth a line. */
export type Check = () => Promise<readonly Finding[]>;

export interface DoctorOptions {
  /** By what they look at, in the order in which they are told. */
  readonly checks: Readonly<Record<string, Check>>;
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly colours: Colours;
}

const MARKS = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;

/** Exit code 1 when something does not work. A check that breaks is told as one that failed. */
export async function examine({ checks, json, write, colours }: DoctorOptions): Promise<number> {
  const all = await Promise.all(Object.entries(checks).map(([name, check]) => runCheck(name, check)));
  const findings = all.flat();
  const healthy = findings.every(({ state }) => state !== "fail");
  if (json) write(`${JSON.stringify({ healthy, findings }, null, 2)}\n`);
  else write(findings.map((finding) => describe(finding, colours)).join("") + verdictOf(findings));
  return healthy ? 0 : EXIT_FAILED;
}

async function runCheck(name: string, check: Check): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ name, state: "fail", message: `Could not be checked: ${reason.split("\n")[0]}` }];
  }
}

function describe({ name, state, message, mend }: Finding, colours: Colours): string {
  const paint = { ok: colours.dim, warn: colours.yellow, fail: colours.red }[state];
  const line = `${paint(MARKS[state])} ${name}: ${message}\n`;
  return mend === undefined ? line : `${line}       → ${mend}\n`;
}

function verdictOf(findings: readonly Finding[]): string {
  const count = (wanted: Finding["state"]): number => findings.filter(({ state }) => state === wanted).length;
  const [broken, missing] = [count("fail"), count("warn")];
  if (broken > 0) return `\n${broken} of ${findings.length} do not work.\n`;
  return missing > 0
    ? `\nIt works; ${missing} ${missing === 1 ? "thing" : "things"} could be better.\n`
    : "\nEverything is fine.\n";
}
