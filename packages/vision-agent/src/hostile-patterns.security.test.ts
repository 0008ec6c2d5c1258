import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
/** As long as an address may be. What takes the square of that is no danger; what takes more does not come back. */
const LENGTH = 2000;
/** For one pattern with all texts, on a busy machine. */
const LIMIT_MS = 15_000;

interface Pattern {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** Where a value may stand, so that it is no division. */
const LITERAL =
  /(?<=[(,=:[!&|?{};\n>]\s*|return\s+)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/g;

/** Every regular expression of the sources, whatever it sees. */
function findPatterns(): readonly Pattern[] {
  const paths = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: ROOT }).filter(
    (path) => !/\.test\.tsx?$|\/testing\/|\/__fixtures__\//.test(path),
  );
  const found = paths.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    return [...text.matchAll(LITERAL)].flatMap(({ index, 1: source = "", 2: flags = "" }) => {
      const place = `${path}:${text.slice(0, index).split("\n").length}`;
      return isPattern(source, flags) ? [{ place, source, flags }] : [];
    });
  });
  return [...new Map(found.map((one) => [`/${one.source}/${one.flags}`, one])).values()];
}

function isPattern(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    // Part of a text or a comment.
    return false;
  }
}

const PUMPS = [
  ...["a", "A", "0", " ", "\t", "\n", "/", ".", "-", "_", ":", "@", "<", ">", "=", "&", "'", '"', "\\", "{", "[", "("],
  ...[",", ";", "%", "#", "*", "`", "é", "\r\n", "a ", " a", "a.", "a-", "a/", "-a", "0.", "x=", "<a", "a@", ", "],
];

/** What could make it try again and again: signs in a row, after what it begins with, and an end that it does not take. */
function hostileTexts({ source }: Pattern): readonly string[] {
  const words = source.match(/[A-Za-z0-9]{2,}/g) ?? [];
  const start = /^\^?((?:[\w:/@<"' -]|\\[^\w])+)/.exec(source)?.[1]?.replaceAll("\\", "") ?? "";
  const pumps = [...new Set([...PUMPS, ...words.slice(0, 8)])];
  return ["", start].flatMap((before) =>
    pumps.flatMap((pump) => {
      const row = before + pump.repeat(Math.ceil(LENGTH / pump.length));
      return [row, `${row}\u0000`];
    }),
  );
}

/** Tells which pattern it has done. */
const WORKER = `
const { parentPort, workerData } = require("node:worker_threads");
for (const [number, { source, flags, texts }] of workerData) {
  const pattern = new RegExp(source, flags);
  for (const text of texts) text.replace(pattern, "");
  parentPort.postMessage(number);
}
`;

type Job = readonly [number: number, work: Pick<Pattern, "source" | "flags"> & { readonly texts: readonly string[] }];

/** The first pattern that does not come to an end; undefined when all do. */
function findEndless(jobs: readonly Job[], limitMs: number): Promise<number | undefined> {
  const worker = new Worker(WORKER, { eval: true, workerData: jobs });
  let done = -1;
  return new Promise((settle, reject) => {
    const end = (stuck: number | undefined): void => {
      clearTimeout(timer);
      settle(stuck);
      void worker.terminate();
    };
    const watch = () => setTimeout(() => end(jobs[done + 1]?.[0]), limitMs);
    let timer = watch();
    worker.on("message", () => {
      done += 1;
      clearTimeout(timer);
      timer = watch();
    });
    worker.once("error", reject);
    worker.once("exit", () => end(undefined));
  });
}

async function endlessOf(patterns: readonly Pattern[], limitMs = LIMIT_MS): Promise<readonly string[]> {
  const endless: string[] = [];
  let jobs: readonly Job[] = patterns.map((one, number) => [number, { ...one, texts: hostileTexts(one) }]);
  for (;;) {
    const stuck = await findEndless(jobs, limitMs);
    if (stuck === undefined) return endless;
    const { place, source } = patterns[stuck]!;
    endless.push(`${place} /${source}/`);
    jobs = jobs.filter(([number]) => number > stuck);
  }
}

it("every regular expression of the sources comes to an end with hostile texts", async () => {
  const patterns = findPatterns();
  expect(patterns.length).toBeGreaterThan(200);
  expect(await endlessOf(patterns)).toEqual([]);
}, 240_000);

it("this test finds one that does not", async () => {
  const known = { place: "here", source: "^(a+)+$", flags: "" };
  expect(await endlessOf([known], 2000)).toEqual(["here /^(a+)+$/"]);
}, 60_000);
