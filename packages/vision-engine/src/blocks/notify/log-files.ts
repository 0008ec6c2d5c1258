// values of runs → lines of files on this machine or in an object store

import { join } from "node:path";
import { EngineError, inputError } from "../../errors.ts";
import { toJsonText } from "../../query/python-text.ts";
import { type BlockInputs, type BlockOutputs, block, numberOf, textOf } from "../block.ts";
import type { Effects, FilePlace, StoredObject } from "../effects.ts";
import { disabledMessage, reasonOf, required } from "./notification.ts";

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

export const localFileSink = block({
  type: "roboflow_core/local_file_sink@v1",
  description: "Writes text into files: one for each call, or a log that grows.",
  phrase: "writes a file",
  start: ({ effects, now }) => {
    const nameOf = createFileNames(now);
    const log = createEntryLog(nameOf);
    return async (inputs) => {
      const disabled = disabledMessage(effects, inputs);
      if (disabled !== undefined) return { error_status: false, message: disabled };
      const files = allowedFiles(effects.files);
      const request = fileRequestOf(inputs);
      const folder = folderOf(files, inputs);
      if (request.mode === "append_log") return append(files, folder, log, request);
      return saveSeparately(files, files.locate(join(folder, nameOf(request.prefix, request.fileType))), request);
    };
  },
});

function allowedFiles(files: FilePlace | undefined): FilePlace {
  if (files !== undefined) return files;
  throw new EngineError({
    kind: "input",
    type: "RuntimeError",
    message: "Writing files is not allowed here: set a folder for them.",
  });
}

function folderOf(files: FilePlace, inputs: BlockInputs): string {
  return files.locate(textOf(inputs, "target_directory"));
}

async function saveSeparately(files: FilePlace, path: string, { content }: FileRequest): Promise<BlockOutputs> {
  try {
    await files.write(path, withNewline(content), "replace");
    return { error_status: false, message: "Data saved successfully" };
  } catch (error) {
    return { error_status: true, message: reasonOf(error, []) };
  }
}

async function append(
  files: FilePlace,
  folder: string,
  log: ReturnType<typeof createEntryLog>,
  request: FileRequest,
): Promise<BlockOutputs> {
  const entry = log.next(request);
  if (entry === undefined) return { error_status: true, message: "Invalid JSON content" };
  try {
    await files.write(files.locate(join(folder, entry.name)), entry.text, "append");
    return { error_status: false, message: "Data saved successfully" };
  } catch {
    if (!entry.isFirst) return { error_status: true, message: "Could not append content to append log" };
    log.abandon();
    return { error_status: true, message: "Could not create new sink file" };
  }
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  json: "application/json",
  jsonl: "application/x-ndjson",
  txt: "text/plain",
};

export const s3Sink = block({
  type: "roboflow_core/s3_sink@v1",
  description: "Writes text into objects of an S3 bucket: one for each call, or a log that grows.",
  phrase: "writes to S3",
  start: ({ effects, now }) => {
    const nameOf = createFileNames(now);
    const log = createEntryLog(nameOf);
    // An object cannot be appended to, so the whole log goes up each time.
    let whole = "";
    return async (inputs) => {
      const disabled = disabledMessage(effects, inputs);
      if (disabled !== undefined) return { error_status: false, message: disabled };
      const target = targetOf(inputs);
      const request = fileRequestOf(inputs);
      if (request.mode === "separate_files") {
        const name = nameOf(request.prefix, request.fileType);
        return upload(effects, { ...target, ...named(inputs, name), content: request.content });
      }
      const entry = log.next(request);
      if (entry === undefined) return { error_status: true, message: "Invalid JSON content" };
      whole = entry.isFirst ? entry.text : whole + entry.text;
      return upload(effects, { ...target, ...named(inputs, entry.name), content: whole });
    };
  },
});

function targetOf(inputs: BlockInputs): Pick<StoredObject, "bucket" | "credentials" | "region"> {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey, aws_region: region } = inputs;
  if (!accessKeyId || !secretAccessKey) {
    throw inputError(
      "S3 sink requires `aws_access_key_id` and `aws_secret_access_key` to be provided by the workflow: keys of this machine are not used.",
    );
  }
  return {
    bucket: textOf(inputs, "bucket_name"),
    credentials: { accessKeyId: String(accessKeyId), secretAccessKey: String(secretAccessKey) },
    ...(typeof region === "string" && region !== "" && { region }),
  };
}

function named(inputs: BlockInputs, name: string): Pick<StoredObject, "key" | "contentType"> {
  const prefix = textOf(inputs, "s3_prefix").replace(/\/+$/, "");
  const contentType = CONTENT_TYPES[name.split(".").at(-1) ?? ""] ?? "text/plain";
  return { key: prefix === "" ? name : `${prefix}/${name}`, contentType };
}

async function upload({ putObject }: Effects, object: StoredObject): Promise<BlockOutputs> {
  try {
    await required(putObject, "Writing to S3")(object);
    return { error_status: false, message: `Data saved successfully to s3://${object.bucket}/${object.key}` };
  } catch (error) {
    const { accessKeyId, secretAccessKey } = object.credentials;
    return { error_status: true, message: reasonOf(error, [secretAccessKey, accessKeyId]) };
  }
}
