// words → the camera they name
import { findClasses } from "./class-words.ts";

export type CameraMention = {
  /** The words without the camera's name, so that a street camera is not read as a thing. */
  readonly rest: string;
} & (
  | { readonly kind: "known"; readonly name: string }
  /** A name that no camera has. */
  | { readonly kind: "unknown"; readonly name: string }
  | { readonly kind: "none" }
);

/** Words that follow "on" or "in" without being a camera. */
const NO_CAMERA =
  /^(?:the )?(?:it|there|here|this|that|now|right now|total|view|sight|front|picture|pictures|image|frame|middle|center|centre|line|all|every|each|any|which|one|screen|cameras?|video|moment|left|right|top|bottom|and|or|both|me|everything|anything|something|what|how)\b/;

/** `text` is lower case without punctuation. The longest name wins; `-`, `_` and space are the same. */
export function findCamera(text: string, cameras: readonly string[]): CameraMention {
  const byLength = cameras.toSorted((a, b) => b.length - a.length);
  for (const name of byLength) {
    const words = name
      .toLowerCase()
      .split(/[ _-]+/)
      .map(escapePattern)
      .join("[ _-]?");
    // A pipeline such as street-count holds the name of its camera and does not mean it.
    const pattern = new RegExp(
      `(?<![\\p{L}\\p{N}_-])(?:(?:camera|cam) )?${words}(?![\\p{L}\\p{N}_]|-\\p{L})(?: (?:camera|cam))?`,
      "u",
    );
    if (pattern.test(text))
      return { kind: "known", name, rest: text.replace(pattern, " ").replace(/\s+/g, " ").trim() };
  }
  const name = unknownName(text);
  return name === undefined ? { kind: "none", rest: text } : { kind: "unknown", name, rest: text.replace(name, " ") };
}

/** Places in a sentence where a camera's name stands, the surest first. */
const PLACES: readonly RegExp[] = [
  /\b(?:on|at|of|in|from|watch|show me|show|what about)\s+(?:the\s+|my\s+)?([\p{L}\p{N}_-]+(?: [\p{L}\p{N}_-]+)?)\s+(?:camera|cam)\b/u,
  /\b(?:camera|cam) ([\p{L}\p{N}_-]+)$/u,
  /\b(?:watch|monitor|guard|observe)\s+(?:the\s+|my\s+)?([\p{L}\p{N}_-]+)\s+for\b/u,
  /\b(?:on|at|in|from|show me|show|look at)\s+(?:the\s+|my\s+)?([\p{L}\p{N}_-]+)$/u,
];

function unknownName(text: string): string | undefined {
  for (const place of PLACES) {
    const called = place.exec(text)?.[1];
    if (called === undefined || NO_CAMERA.test(called) || findClasses(called.split(" ")).length > 0) continue;
    return called;
  }
  return undefined;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
