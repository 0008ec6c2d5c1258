// results → rates by family → a table, a Markdown page, a JSON document
import type { EvalResult } from "./run-evals.ts";

export interface FamilyRates {
  readonly family: string;
  readonly instructions: number;
  readonly firstTry: number;
  readonly afterCorrection: number;
  readonly wrongEffects: number;
  readonly costMicroUsd: number;
  readonly durationMs: number;
}

export interface EvalReport {
  /** Who answered, for people. */
  readonly speaker: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** With opening and closing of the apps. */
  readonly wallMs: number;
  readonly families: readonly FamilyRates[];
  readonly total: FamilyRates;
  readonly results: readonly EvalResult[];
}

export function createReport(
  results: readonly EvalResult[],
  run: Pick<EvalReport, "speaker" | "startedAt" | "wallMs">,
): EvalReport {
  const families = [...Map.groupBy(results, ({ family }) => family)].map(([family, some]) => rate(family, some));
  return { ...run, families, total: rate("all", results), results };
}

function rate(family: string, results: readonly EvalResult[]): FamilyRates {
  const sum = (value: (result: EvalResult) => number): number =>
    results.reduce((total, each) => total + value(each), 0);
  return {
    family,
    instructions: results.length,
    firstTry: sum(({ firstTry }) => Number(firstTry)),
    afterCorrection: sum(({ afterCorrection }) => Number(afterCorrection)),
    wrongEffects: sum(({ wrongEffect }) => Number(wrongEffect)),
    costMicroUsd: sum(({ costMicroUsd }) => costMicroUsd),
    durationMs: sum(({ durationMs }) => durationMs),
  };
}

const HEADINGS = ["family", "instructions", "first try", "after correction", "cost", "time", "wrong effects"] as const;

/** Rows of the table, headings first, the whole set last. */
export function toReportRows({ families, total }: EvalReport): readonly (readonly string[])[] {
  const rows = [...families, total].map((each) => [
    each.family,
    String(each.instructions),
    share(each.firstTry, each.instructions),
    share(each.afterCorrection, each.instructions),
    `$${(each.costMicroUsd / 1e6).toFixed(4)}`,
    `${(each.durationMs / 1000).toFixed(1)} s`,
    String(each.wrongEffects),
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
  const wrong = report.results.filter(({ firstTry }) => !firstTry);
  return [
    "# Evals",
    `${report.speaker} answered; begun ${report.startedAt}, ${(report.wallMs / 1000).toFixed(1)} s in all.`,
    table,
    ...(wrong.length === 0 ? [] : ["## Not right at the first try", ...wrong.map(describeResult)]),
    "",
  ].join("\n\n");
}

function describeResult({ family, name, afterCorrection, wrongEffect, turns, complaints }: EvalResult): string {
  const talk = turns.flatMap(({ said, answer, calls }) => [
    `- person: ${oneLine(said)}`,
    ...calls.map(({ tool, arguments: args, outcome }) => `  - ${tool} \`${JSON.stringify(args)}\`: ${outcome}`),
    `- answer: ${oneLine(answer)}`,
  ]);
  const found = [
    ...complaints.first.map((words) => `- wrong at first: ${oneLine(words)}`),
    ...(turns.length > 1 && !afterCorrection
      ? complaints.after.map((words) => `- wrong in the end: ${oneLine(words)}`)
      : []),
  ];
  return [
    `### ${family}/${name}: ${afterCorrection ? "right after the correction" : "wrong"}${wrongEffect ? ", with a wrong effect" : ""}`,
    "",
    ...talk,
    ...found,
  ].join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** What is read by programs; names as in the other files that people script against. */
export function toJsonReport({ speaker, startedAt, wallMs, families, total, results }: EvalReport): unknown {
  return {
    speaker,
    started_at: startedAt,
    wall_ms: wallMs,
    total: toPlainRates(total),
    families: families.map(toPlainRates),
    results: results.map((result) => ({
      name: result.name,
      family: result.family,
      first_try: result.firstTry,
      after_correction: result.afterCorrection,
      wrong_effect: result.wrongEffect,
      complaints: result.complaints,
      turns: result.turns,
      cost_usd: result.costMicroUsd / 1e6,
      duration_ms: result.durationMs,
      failure: result.failure ?? null,
    })),
  };
}

function toPlainRates(rates: FamilyRates) {
  return {
    family: rates.family,
    instructions: rates.instructions,
    first_try: rates.firstTry,
    after_correction: rates.afterCorrection,
    wrong_effects: rates.wrongEffects,
    cost_usd: rates.costMicroUsd / 1e6,
    duration_ms: rates.durationMs,
  };
}
