// a watch ↔ words

import type { Slots, When } from "../intent.ts";
import { inWords } from "../slots/amounts.ts";
import { type LinePlacement, lineAcross, type Way } from "../slots/find-places.ts";
import { joinWords, plural } from "../words/class-words.ts";

/** The slots of a watch that is complete. */
export interface WatchWords extends Slots {
  readonly when: When;
}

export const LINES: Readonly<Record<LinePlacement, string>> = {
  vertical: "a vertical line through the middle of the picture",
  horizontal: "a horizontal line through the middle of the picture",
  top: "a line across the upper part of the picture",
  bottom: "a line across the lower part of the picture",
  left: "a line in the left part of the picture",
  right: "a line in the right part of the picture",
};

const WAYS: Readonly<Record<Way, string>> = {
  left: " from right to left",
  right: " from left to right",
  up: " upwards",
  down: " downwards",
  in: " going in",
  out: " going out",
};

/** `a person stays longer than 30 seconds in the left half of yard, between 22:00 and 06:00, at most once in 1 hour`. */
export function conditionInWords(watch: WatchWords): string {
  const { cameras, hours, cooldownSeconds, severity } = watch;
  const parts = [
    `${happening(watch)} on ${joinWords(cameras)}`,
    ...(hours === undefined ? [] : [`between ${hours.from} and ${hours.to}`]),
    ...(cooldownSeconds === undefined ? [] : [`at most once in ${inWords(cooldownSeconds)}`]),
    ...(severity === undefined ? [] : [`as ${severity}`]),
  ];
  return parts.join(", ");
}

function happening(watch: WatchWords): string {
  const { when, classes, zone, seconds = 0 } = watch;
  const one = classes.length === 0 ? "anything" : joinWords(classes.map(withArticle), "or");
  const many = classes.length === 0 ? "things" : joinWords(classes.map(plural), "or");
  const there = zone === undefined ? "" : ` in ${zone.name}`;
  switch (when) {
    case "appears":
      return `${one} appears`;
    case "leaves":
      return `${one} leaves`;
    case "crosses":
      return `${one} crosses ${LINES[watch.line ?? lineAcross(watch.way)]}${watch.way === undefined ? "" : WAYS[watch.way]}`;
    case "enters":
      return `${one} enters ${zone?.name ?? "the zone"}`;
    case "stays":
      return `${one} stays longer than ${inWords(seconds)}${there}`;
    case "count":
      return `there are at least ${watch.atLeast ?? 1} ${many} at once${seconds > 0 ? ` for ${inWords(seconds)}` : ""}${there}`;
    case "absent":
      return `no ${joinWords(classes, "or") || "thing"} has been seen for ${inWords(seconds)}${there}`;
  }
}

export function withArticle(className: string): string {
  return `${/^[aeiou]/.test(className) ? "an" : "a"} ${className}`;
}

/** What a program reads back from a watch's line. */
export interface WatchLine {
  readonly id: string;
  readonly words: string;
  readonly what: string;
  readonly cameras: readonly string[];
  /** What follows: hours, cooldown, state, how often it fired. */
  readonly rest: string;
  readonly fired: number;
}

/** Every watch in a text; other lines are passed over. */
export function parseWatchLines(text: string): readonly WatchLine[] {
  return text.split("\n").flatMap((line) => {
    const match = /^(watch_\S+) "(.*)": (.+?) on ([^;]+); (.*)$/.exec(line);
    if (match === null) return [];
    const [, id = "", words = "", what = "", cameras = "", rest = ""] = match;
    const fired = Number(/fired (\d+) times/.exec(rest)?.[1] ?? 0);
    return [{ id, words, what, cameras: cameras.split(", "), rest, fired }];
  });
}

/** The id that proves it, and a state that is not as hoped. */
export function describeWatchLine(text: string): { readonly id: string; readonly state: string } {
  const [line] = parseWatchLines(text);
  const id = line?.id ?? /\bwatch_[\w-]+/.exec(text)?.[0] ?? "";
  const trouble = line?.cameras.flatMap(
    (camera) =>
      new RegExp(
        `(?:^|[;,] )(${camera.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")} (?:failed|stopped|not running|reconnecting|paused)[^;,]*)`,
      ).exec(line.rest)?.[1] ?? [],
  );
  return { id, state: trouble && trouble.length > 0 ? ` At the moment: ${joinWords(trouble)}.` : "" };
}
