// texts of a workflow → files with a name and a content
import { toJsonText } from "../../query/python-text.ts";
import type { BlockInputs } from "../block.ts";
import { numberOf, textOf } from "../block-inputs.ts";

/** What one call of a file sink asks for. */
export interface FileRequest {
  readonly content: string;
  readonly fileType: string;
  readonly mode: "append_log" | "separate_files";
  readonly prefix: string;
  readonly maxEntries: number;
}

export function fileRequestOf(inputs: BlockInputs): FileRequest {
  return {
    content: textOf(inputs, "content"),
    fileType: textOf(inputs, "file_type"),
    mode: inputs.output_mode === "separate_files" ? "separate_files" : "append_log",
    prefix: textOf(inputs, "file_name_prefix"),
    maxEntries: numberOf(inputs, "max_entries_per_file"),
  };
}

/** `{prefix}_{YYYY_MM_DD_HH_MM_SS_ffffff}.{extension}` of local time; never the same twice. */
export function createFileNames(now: () => number): (prefix: string, extension: string) => string {
  let lastMicros = 0;
  return (prefix, extension) => {
    lastMicros = Math.max(now() * 1000, lastMicros + 1);
    const time = new Date(lastMicros / 1000);
    const parts = [
      time.getFullYear(),
      time.getMonth() + 1,
      time.getDate(),
      time.getHours(),
      time.getMinutes(),
      time.getSeconds(),
    ];
    const stamp = parts.map((part) => String(part).padStart(2, "0")).join("_");
    return `${prefix}_${stamp}_${String(Math.floor(lastMicros % 1e6)).padStart(6, "0")}.${extension}`;
  };
}

/** An entry for a log. */
export interface LogEntry {
  /** The file that it belongs to. */
  readonly name: string;
  readonly text: string;
  /** Begins the file. */
  readonly isFirst: boolean;
}

export interface EntryLog {
  /** The next entry; absent when the content should be JSON and is not. */
  next(request: FileRequest): LogEntry | undefined;
  /** The file could not be begun: the next entry begins another. */
  abandon(): void;
}

/** Deals entries out to files, at most so many to each. */
export function createEntryLog(nameOf: (prefix: string, extension: string) => string): EntryLog {
  let name: string | undefined;
  let entries = 0;
  return {
    next({ content, fileType, prefix, maxEntries }) {
      const inline = fileType === "json" ? toOneLine(content) : content;
      if (inline === undefined) return undefined;
      const isFirst = name === undefined || entries >= maxEntries;
      if (name === undefined || isFirst) {
        name = nameOf(prefix, fileType === "json" ? "jsonl" : fileType);
        entries = 0;
      }
      entries += 1;
      const text = fileType === "csv" && !isFirst ? withoutFirstLine(inline) : inline;
      return { name, text: withNewline(text), isFirst };
    },
    abandon() {
      name = undefined;
    },
  };
}

export function withNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

function withoutFirstLine(text: string): string {
  return text.split("\n").slice(1).join("\n");
}

function toOneLine(json: string): string | undefined {
  try {
    return toJsonText(JSON.parse(json));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
