// values of runs → lines of files on this machine or in an object store

import { join } from "node:path";
import { inputError } from "../../errors.ts";
import { toJsonText } from "../../query/python-text.ts";
import { type BlockInputs, type BlockOutputs, block, numberOf, textOf } from "../block.ts";
import type { Effects, StoredObject } from "../effects.ts";
import { disabledMessage, reasonOf, required } from "./notification.ts";
import { askingFirst } from "./outgoing-pictures.ts";

/** `{prefix}_{YYYY_MM_DD_HH_MM_SS_ffffff}.{extension}` of local time; never the same twice. */
function createFileNames(now: () => number): (prefix: string, extension: string) => string {
  let lastMicros = 0;
  return (prefix, extension) => {
    lastMicros = Math.max(now() * 1000, lastMicros + 1);
    const ms = lastMicros / 1000;
    const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString();
    const stamp = local.slice(0, 19).replace(/[-T:]/g, "_");
    return `${prefix}_${stamp}_${String(Math.floor(lastMicros % 1e6)).padStart(6, "0")}.${extension}`;
  };
}

const INVALID_JSON = { error_status: true, message: "Invalid JSON content" };

/** Deals entries out to files, at most so many to each. */
function createEntryLog(nameOf: (prefix: string, extension: string) => string) {
  let name: string | undefined;
  let entries = 0;
  return {
    /** The next entry; absent when the content should be JSON and is not. */
    next(inputs: BlockInputs) {
      const [content, fileType] = [textOf(inputs, "content"), textOf(inputs, "file_type")];
      const inline = fileType === "json" ? toOneLine(content) : content;
      if (inline === undefined) return undefined;
      const isFirst = name === undefined || entries >= numberOf(inputs, "max_entries_per_file");
      if (name === undefined || isFirst) {
        name = nameOf(textOf(inputs, "file_name_prefix"), fileType === "json" ? "jsonl" : fileType);
        entries = 0;
      }
      entries += 1;
      const text = fileType === "csv" && !isFirst ? withoutFirstLine(inline) : inline;
      return { name, text: withNewline(text), isFirst };
    },
    /** The file could not be begun: the next entry begins another. */
    abandon() {
      name = undefined;
    },
  };
}

function withNewline(text: string): string {
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
      const { files } = effects;
      if (files === undefined) {
        throw inputError("Writing files is not allowed here: set a folder for them.", "RuntimeError");
      }
      const folder = files.locate(textOf(inputs, "target_directory"));
      const saved = { error_status: false, message: "Data saved successfully" };
      if (inputs.output_mode === "separate_files") {
        const path = files.locate(
          join(folder, nameOf(textOf(inputs, "file_name_prefix"), textOf(inputs, "file_type"))),
        );
        try {
          await files.write(path, withNewline(textOf(inputs, "content")), "replace");
          return saved;
        } catch (error) {
          return { error_status: true, message: reasonOf(error, []) };
        }
      }
      const entry = log.next(inputs);
      if (entry === undefined) return INVALID_JSON;
      try {
        await files.write(files.locate(join(folder, entry.name)), entry.text, "append");
        return saved;
      } catch {
        if (!entry.isFirst) return { error_status: true, message: "Could not append content to append log" };
        log.abandon();
        return { error_status: true, message: "Could not create new sink file" };
      }
    };
  },
});

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  json: "application/json",
  jsonl: "application/x-ndjson",
  txt: "text/plain",
};

const S3_SINK = "roboflow_core/s3_sink@v1";

export const s3Sink = block({
  type: S3_SINK,
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
      if (inputs.output_mode === "separate_files") {
        const name = nameOf(textOf(inputs, "file_name_prefix"), textOf(inputs, "file_type"));
        return upload(effects, { ...target, ...named(inputs, name), content: textOf(inputs, "content") });
      }
      const entry = log.next(inputs);
      if (entry === undefined) return INVALID_JSON;
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
    region: typeof region === "string" && region !== "" ? region : undefined,
  };
}

function named(inputs: BlockInputs, name: string): Pick<StoredObject, "key" | "contentType"> {
  const prefix = textOf(inputs, "s3_prefix").replace(/\/+$/, "");
  const contentType = CONTENT_TYPES[name.split(".").at(-1) ?? ""] ?? "text/plain";
  return { key: prefix === "" ? name : `${prefix}/${name}`, contentType };
}

async function upload(effects: Effects, object: StoredObject): Promise<BlockOutputs> {
  const target = { sink: S3_SINK, destination: `s3://${object.bucket}` };
  const { content } = object;
  try {
    await askingFirst(effects, { content }, target, () => required(effects.putObject, "Writing to S3")(object))();
    return { error_status: false, message: `Data saved successfully to s3://${object.bucket}/${object.key}` };
  } catch (error) {
    const { accessKeyId, secretAccessKey } = object.credentials;
    return { error_status: true, message: reasonOf(error, [secretAccessKey, accessKeyId]) };
  }
}
