// values → lines of JSON → values again after a crash
import { type AgentError, agentError } from "../types/errors.ts";
import type { Json } from "../types/json.ts";
import { LineFile, type LineTarget, openLineFile } from "./line-file.ts";

/** A log of one writer that survives `kill -9`. */
export interface JsonLines<T> {
  /** What was there when it was opened, oldest first. */
  readonly loaded: readonly T[];
  /** Lines that could not be read. */
  readonly skippedLines: number;
  /** Resolves when the line is on disk. When it rejects, it does not count as written. */
  append(value: T): Promise<void>;
  /** All of them in one go. */
  appendAll(values: readonly T[]): Promise<void>;
  /** These instead of everything before, wholly or not at all. */
  replace(values: readonly T[]): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface JsonLinesOptions<T> {
  /** Its folder is made when it is missing. */
  readonly path: string;
  /** Who writes, for the message that another writer reads. */
  readonly owner: string;
  /** Undefined for a value that cannot be used; its line is skipped and counted. */
  parse(value: Json): T | undefined;
}

/**
 * Throws `AgentError` kind `invalid`, code `log_busy` while another process writes to it. An append rejects with kind
 * `agent`, code `log_write`. A torn end is cut off: nobody was told that it was written.
 */
export async function openJsonLines<T>({ path, owner, parse }: JsonLinesOptions<T>): Promise<JsonLines<T>> {
  const { lines, bytes } = await openLineFile({ path, owner, name: `"${path}"`, code: "log" });
  return toJsonLines(lines, bytes.toString("utf8"), parse);
}

/** The same over a host's own storage. `text` is what is there; a torn end is read like any line. */
export function createJsonLines<T>(
  target: LineTarget,
  text: string,
  parse: JsonLinesOptions<T>["parse"],
): JsonLines<T> {
  const isTorn = text !== "" && !text.endsWith("\n");
  const closedError = (): AgentError => agentError("invalid", "log_closed", "The log is closed.");
  return toJsonLines(new LineFile(target, { isTorn, closedError }), text, parse);
}

function toJsonLines<T>(lines: LineFile, text: string, parse: JsonLinesOptions<T>["parse"]): JsonLines<T> {
  const found = text.split("\n").filter((line) => line !== "");
  const loaded = found.map((line) => parseLine(line, parse)).filter((value) => value !== undefined);
  return {
    loaded,
    skippedLines: found.length - loaded.length,
    append: (value) => lines.append(toText([value])),
    appendAll: (values) => lines.append(toText(values)),
    replace: (values) => lines.replace(toText(values)),
    close: () => lines.close(),
  };
}

function parseLine<T>(line: string, parse: JsonLinesOptions<T>["parse"]): T | undefined {
  try {
    return parse(JSON.parse(line) as Json);
  } catch {
    // A torn line: counted as skipped.
    return undefined;
  }
}

function toText(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}
