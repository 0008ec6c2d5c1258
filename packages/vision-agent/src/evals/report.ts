// results → rates by family → a document for programs, a table and a Markdown page for people
import type { EvalResult } from "./run-evals.ts";

/** Names as in the other files that people script against. */
export interface FamilyRates {
  readonly family: string;
  readonly instructions: number;
  readonly first_try: number;
  readonly after_correction: number;
  readonly wrong_effects: number;
  readonly cost_usd: number;
  readonly duration_ms: number;
}

/** What programs read, as it is. */
export interface EvalReport {
  /** Who answered, for people. */
  readonly speaker: string;
  /** ISO 8601. */
  readonly started_at: string;
  /** With opening and closing of the apps. */
  readonly wall_ms: number;
  readonly total: FamilyRates;
  readonly families: readonly FamilyRates[];
  readonly results: readonly EvalResult[];
}

export function createReport(
  results: readonly EvalResult[],
  run: Pick<EvalReport, "speaker" | "started_at" | "wall_ms">,
): EvalReport {
  const families = [...Map.groupBy(results, ({ family }) => family)].map(([family, some]) => rate(family, some));
  return { ...run, total: rate("all", results), families, results };
}

function rate(family: string, results: readonly EvalResult[]): FamilyRates {
  const sum = (value: (result: EvalResult) => number): number =>
    results.reduce((total, each) => total + value(each), 0);
  return {
    family,
    instructions: results.length,
    first_try: sum((result) => Number(result.first_try)),
    after_correction: sum((result) => Number(result.after_correction)),
    wrong_effects: sum((result) => Number(result.wrong_effect)),
    // In whole millionths: sums of fractions drift.
    cost_usd: sum((result) => Math.round(result.cost_usd * 1e6)) / 1e6,
    duration_ms: sum((result) => result.duration_ms),
  };
}

const HEADINGS = ["family", "instructions", "first try", "after correction", "cost", "time", "wrong effects"] as const;

/** Rows of the table, headings first, the whole set last. */
export function toReportRows({ families, total }: EvalReport): readonly (readonly string[])[] {
  const rows = [...families, total].map((each) => [
    each.family,
    String(each.instructions),
    share(each.first_try, each.instructions),
    share(each.after_correction, each.instructions),
    `$${each.cost_usd.toFixed(4)}`,
    `${(each.duration_ms / 1000).toFixed(1)} s`,
    String(each.wrong_effects),
  ]);
  return [HEADINGS, ...rows];
}

function share(part: number, whole: number): string {
  return `${part} (${whole === 0 ? 0 : Math.round((part / whole) * 100)} %)`;
}

/** What is read by people: rates, then everything that went wrong with what was said. */
export function toMarkdownReport(report: EvalReport): string {
  const [headings = [], ...rows] = toReportRows(report);
  const toRow = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const table = [toRow(headings), toRow(headings.map(() => "---")), ...rows.map(toRow)].join("\n");
  const wrong = report.results.filter(({ first_try }) => !first_try);
  return [
    "# Evals",
    `${report.speaker} answered; begun ${report.started_at}, ${(report.wall_ms / 1000).toFixed(1)} s in all.`,
    table,
    ...(wrong.length === 0 ? [] : ["## Not right at the first try", ...wrong.map(describeResult)]),
    "",
  ].join("\n\n");
}

function describeResult({ family, name, after_correction, wrong_effect, turns, complaints }: EvalResult): string {
  const talk = turns.flatMap(({ said, answer, calls }) => [
    `- person: ${oneLine(said)}`,
    ...calls.map(({ tool, arguments: args, outcome }) => `  - ${tool} \`${JSON.stringify(args)}\`: ${outcome}`),
    `- answer: ${oneLine(answer)}`,
  ]);
  const found = [
    ...complaints.first.map((words) => `- wrong at first: ${oneLine(words)}`),
    ...(turns.length > 1 && !after_correction
      ? complaints.after.map((words) => `- wrong in the end: ${oneLine(words)}`)
      : []),
  ];
  return [
    `### ${family}/${name}: ${after_correction ? "right after the correction" : "wrong"}${wrong_effect ? ", with a wrong effect" : ""}`,
    "",
    ...talk,
    ...found,
  ].join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
