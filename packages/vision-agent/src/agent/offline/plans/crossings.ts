// "how many came in?" → crossings, each line for itself: what goes in at one may go out at another
import { areaOf } from "../../../scene/scene-interest.ts";
import { wayInWords } from "../../../scene/scene-words.ts";
import { LINES } from "../answers/watch-words.ts";
import type { Known } from "../intent.ts";
import { type LinePlacement, type Place, toLine } from "../slots/find-places.ts";
import { countOf, plural } from "../words/class-words.ts";
import { dataOf, endWith, failure, type Steps } from "./plan.ts";

type Direction = "in" | "out";

export interface CrossingsAsked {
  readonly cameras: readonly string[];
  readonly classes: readonly string[];
  readonly direction?: Direction | undefined;
  readonly from: string;
  readonly to: string;
  /** For the answer: "today". */
  readonly words: string;
}

interface CrossedLine {
  readonly camera: string;
  readonly area: string | undefined;
  readonly counts: { readonly [D in Direction]?: number };
}

const LEVEL = /wards$/;
const RECOUNTED = "One that leaves and comes back counts again.";

/** Undefined where no line counted anything. */
export function* countCrossings(asked: CrossingsAsked, known: Known): Steps<string | undefined> {
  const lines = yield* searchLines(asked);
  const [only, another] = lines;
  if (only === undefined) return undefined;
  const who = (count: number): string =>
    countOf(count, asked.classes.length === 1 ? (asked.classes[0] ?? "") : "thing");
  const sum = (line: CrossedLine): number => (line.counts.in ?? 0) + (line.counts.out ?? 0);
  if (another === undefined) {
    const went = asked.direction === undefined ? "crossed" : `went ${asked.direction} across`;
    return `${who(sum(only))} ${went} ${lineOf(only, known).name} on ${only.camera} ${asked.words}: ${countsInWords(only, known)}. ${RECOUNTED}`;
  }
  const things = asked.classes.length === 1 ? plural(asked.classes[0] ?? "") : "things";
  return [
    `Several lines counted ${things} ${asked.words}, and "in" is not the same way at each:`,
    ...lines.map((line) => `- ${lineOf(line, known).name} on ${line.camera}: ${countsInWords(line, known)}`),
    RECOUNTED,
  ].join("\n");
}

function* searchLines({ cameras, classes, direction, from, to }: CrossingsAsked): Steps<readonly CrossedLine[]> {
  const directions: readonly Direction[] = direction === undefined ? ["in", "out"] : [direction];
  const calls = directions.flatMap((way) =>
    orNone(cameras).flatMap((camera) => orNone(classes).map((class_name) => ({ way, camera, class_name }))),
  );
  const answers = yield calls.map(({ way, ...named }) => ({
    tool: "search_events",
    args: { ...named, kind: "line_crossed", direction: way, from, to, group_by: ["camera", "area"], max_results: 1 },
  }));
  const failed = answers.find(({ ok }) => !ok);
  if (failed !== undefined) return yield* endWith(failure("I could not search", failed));
  const groups = answers.flatMap((answer, at) =>
    (dataOf(answer, "search_events")?.groups ?? []).map((group) => ({ ...group, way: calls[at]?.way ?? "in" })),
  );
  return [...Map.groupBy(groups, ({ camera, area }) => `${camera} ${area}`).values()].map((same) => ({
    camera: same[0]?.camera ?? "",
    area: same[0]?.area,
    counts: Object.fromEntries(
      directions.map((way) => [way, same.reduce((sum, one) => sum + (one.way === way ? one.count : 0), 0)]),
    ),
  }));
}

function orNone(names: readonly string[]): readonly (string | undefined)[] {
  return names.length === 0 ? [undefined] : names;
}

interface LineName {
  readonly name: string;
  /** What going in and going out is called, or looks like in the picture. */
  readonly ways: { readonly [D in Direction]: string };
}

/** The name that a person gave it, or where it lies. */
function lineOf({ camera, area = "" }: CrossedLine, { cameras }: Known): LineName {
  const places = cameras.find(({ name }) => name === camera)?.places ?? [];
  const place = places.find((one) => one.kind === "line" && areaOf("line", one.points).key === area);
  const [x1, y1, x2, y2] = area.split(" ").slice(1).map(Number);
  const points: readonly Place[] =
    y2 === undefined
      ? []
      : [
          [x1 ?? 0, y1 ?? 0],
          [x2 ?? 0, y2],
        ];
  const ways = { in: wayInWords(points, "in"), out: wayInWords(points, "out") };
  if (place?.kind === "line") return { name: `"${place.name}"`, ways: place.directions ?? ways };
  const placement = (Object.keys(LINES) as readonly LinePlacement[]).find(
    (one) => areaOf("line", toLine(one)).key === area,
  );
  const drawn = LEVEL.test(ways.in) ? "a level line" : "an upright line";
  return { name: placement === undefined ? drawn : LINES[placement], ways };
}

function countsInWords(line: CrossedLine, known: Known): string {
  const { ways } = lineOf(line, known);
  return (["in", "out"] as const)
    .flatMap((way) => {
      const count = line.counts[way];
      return count === undefined ? [] : [`${count} ${way}${ways[way] === "" ? "" : ` (${ways[way]})`}`];
    })
    .join(", ");
}
