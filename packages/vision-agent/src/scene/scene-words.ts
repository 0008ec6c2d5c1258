import type { PipelineStatus } from "@vision-agent/protocol";
import type { SceneArea } from "./scene-interest.ts";

/** "A car", "An umbrella". */
export function withArticle(className: string): string {
  return `${/^[aeiou]/i.test(className) ? "An" : "A"} ${className}`;
}

/** "people or cars"; "things" when no class is named, or too many to name. */
export function namesOf(classes: readonly string[]): string {
  return classes.length === 0 || classes.length > MOST_NAMED ? "things" : classes.map(plural).join(" or ");
}

const MOST_NAMED = 3;

/** "There are 3 people", "There is 1 car", "There are no people". */
export function thereAre(count: number, classes: readonly string[]): string {
  const [only] = classes;
  if (count !== 1) return `There are ${count === 0 ? "no" : count} ${namesOf(classes)}`;
  return `There is 1 ${only !== undefined && classes.length === 1 ? only : "thing"}`;
}

/** "2 min", "45 s". */
export function durationInWords(seconds: number): string {
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

function plural(className: string): string {
  if (className === "person") return "people";
  return /(s|x|ch|sh)$/.test(className) ? `${className}es` : `${className}s`;
}

/** "the loading zone"; "the zone" and "the line" of a place without a name. */
export function placeInWords({ kind, name }: Pick<SceneArea, "kind" | "name">): string {
  return `the ${name?.replace(/^the /i, "") ?? kind}`;
}

/** "crossed the line on street, going in (from left to right)", or by the names that a person gave the directions. */
export function crossingInWords(
  line: Pick<SceneArea, "kind" | "points" | "name" | "names">,
  direction: "in" | "out",
  camera: string,
): string {
  const way =
    line.names?.[direction] ?? `going ${direction}${wayInWords(line.points, direction, (way) => ` (${way})`)}`;
  return `crossed ${placeInWords(line)} on ${camera}, ${way}`;
}

/** Which way in or out is, as somebody who looks at the picture sees it; nothing for a line without length. */
export function wayInWords(
  [start, end]: SceneArea["points"],
  direction: "in" | "out",
  toText: (way: string) => string = (way) => way,
): string {
  if (start === undefined || end === undefined) return "";
  const sign = direction === "in" ? 1 : -1;
  // The picture's y grows downwards: left of (dx, dy) is (dy, -dx), and in is to the left.
  const [across, down] = [sign * (end[1] - start[1]), -sign * (end[0] - start[0])];
  if (across === 0 && down === 0) return "";
  if (Math.abs(across) >= Math.abs(down)) return toText(across > 0 ? "from left to right" : "from right to left");
  return toText(down > 0 ? "downwards" : "upwards");
}

/** "14 crossings by 9 people". */
export function crossingsInWords(crossings: number, things: number, classes: readonly string[]): string {
  const [only] = classes;
  const who =
    things === 1 ? `1 ${only !== undefined && classes.length === 1 ? only : "thing"}` : `${things} ${namesOf(classes)}`;
  return `${crossings} ${crossings === 1 ? "crossing" : "crossings"} by ${who}`;
}

const TROUBLES: Readonly<Record<NonNullable<PipelineStatus["health"]>["state"], string>> = {
  down: "has given no new picture",
  frozen: "has shown the same picture",
  covered: "has been covered",
  dark: "has been too dark to see",
  moved: "has looked somewhere else",
};

/** "street has shown the same picture since 14:02, so this is not what is there now." */
export function troubleInWords(
  camera: string,
  { state, since }: { readonly state: keyof typeof TROUBLES; readonly since?: string | undefined },
  toTime: (instant: string) => string,
): string {
  const when = since === undefined ? "for a while" : `since ${toTime(since)}`;
  const warning =
    state === "moved" ? "so lines and zones drawn before may be wrong" : "so this is not what is there now";
  return `${camera} ${TROUBLES[state]} ${when}, ${warning}.`;
}
