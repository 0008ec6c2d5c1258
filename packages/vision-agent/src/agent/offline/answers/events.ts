// what search_events says → sentences
import { countOf, joinWords, plural } from "../words/class-words.ts";

/** `12 events: 8 appeared person, 4 line_crossed car.` as figures. */
export interface EventTotals {
  readonly all: number;
  /** The log held more than was counted. */
  readonly cut: boolean;
  readonly kinds: readonly { readonly kind: string; readonly className: string; readonly count: number }[];
}

export interface EventLine {
  readonly time: string;
  readonly camera: string;
  readonly kind: string;
  readonly text: string;
}

export function parseEventTotals(text: string): EventTotals {
  const match = /^(the (?:newest|oldest) )?(\d+) events?: (.*)\.$/m.exec(text);
  if (match === null) return { all: 0, cut: false, kinds: [] };
  const kinds = (match[3] ?? "").split(", ").flatMap((part) => {
    const found = /^(\d+) (\S+)(?: (.+))?$/.exec(part);
    return found === null ? [] : [{ count: Number(found[1]), kind: found[2] ?? "", className: found[3] ?? "" }];
  });
  return { all: Number(match[2]), cut: match[1] !== undefined, kinds };
}

/** Newest first, as the tool gives them. */
export function parseEventLines(text: string): readonly EventLine[] {
  return text.split("\n").flatMap((line) => {
    const match = /^- (\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) (.+?) ([a-z_]+): (.*)$/.exec(line);
    if (match === null) return [];
    const [, time = "", camera = "", kind = "", words = ""] = match;
    return [{ time, camera, kind, text: words.replace(/ \(picture [^)]*\)$/, "") }];
  });
}

const DID: Readonly<Record<string, string>> = {
  appeared: "appeared",
  left: "left",
  line_crossed: "crossed a line",
  zone_entered: "entered a zone",
  zone_left: "left a zone",
  stayed: "stayed",
};

/** `8 people appeared, 4 cars crossed a line`. */
export function totalsInWords({ kinds }: EventTotals): string {
  return joinWords(
    kinds.map(({ kind, className, count }) => {
      if (kind === "condition_true") return `a watch came true ${count === 1 ? "once" : `${count} times`}`;
      const did = DID[kind];
      if (did === undefined || className === "") return `${count} × ${kind.replaceAll("_", " ")}`;
      return `${countOf(count, className)} ${did}`;
    }),
  );
}

export function eventInWords({ time, camera, text }: EventLine): string {
  return `- ${time} ${camera}: ${text}`;
}

/** `No people` for classes, `nothing` without. */
export function noneOf(classes: readonly string[]): string {
  return classes.length === 0 ? "nothing" : `no ${joinWords(classes.map(plural), "or")}`;
}
