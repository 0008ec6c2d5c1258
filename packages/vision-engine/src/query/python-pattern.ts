// pattern in Python's notation → pattern in ours
import { inputError } from "../errors.ts";

/** Pieces that are written otherwise: named groups, ends of the text, comments. */
const PIECES = /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|\(\?P<|\(\?P=(\w+)\)|\(\?P>|\(\?#[^)]*\)|\$/g;

/** Throws a `ValueError` when the pattern is not understood. */
export function parsePattern(source: string): RegExp {
  const leading = /^\(\?([aiLmsux]+)\)/.exec(source);
  const flags = leading?.[1] ?? "";
  const body = source.slice(leading?.[0].length ?? 0);
  const multiline = flags.includes("m");
  const pattern = body.replace(PIECES, (piece: string, group?: string) => {
    if (piece === "\\A") return "(?<![\\s\\S])";
    if (piece === "\\Z") return "(?![\\s\\S])";
    if (piece === "(?P<") return "(?<";
    if (group !== undefined) return `\\k<${group}>`;
    if (piece.startsWith("(?#")) return "";
    // The end of the text is also before a last line break.
    if (piece === "$" && !multiline) return "(?=\\n?(?![\\s\\S]))";
    return piece;
  });
  try {
    return new RegExp(pattern, flags.replace(/[^ims]/g, ""));
  } catch (error) {
    throw inputError(`The pattern "${source}" is not understood: ${error instanceof Error ? error.message : error}`);
  }
}
