// text → object in a bucket
import { inputError } from "../../errors.ts";
import type { Block, BlockInputs, BlockOutputs } from "../block.ts";
import { textOf } from "../block-inputs.ts";
import type { Effects, StoredObject } from "../effects.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { createEntryLog, createFileNames, fileRequestOf } from "./log-entries.ts";
import { disabledMessage, reasonOf, required } from "./notification.ts";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  json: "application/json",
  jsonl: "application/x-ndjson",
  txt: "text/plain",
};

export const s3Sink: Block = {
  manifest: manifestOf("roboflow_core/s3_sink@v1"),
  description: "Writes text into objects of an S3 bucket: one for each call, or a log that grows.",
  phrase: () => "writes to S3",
  create({ effects, now }) {
    const nameOf = createFileNames(now);
    const log = createEntryLog(nameOf);
    // An object cannot be appended to, so the whole log goes up each time.
    let whole = "";
    return {
      async run(inputs): Promise<BlockOutputs> {
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
      },
    };
  },
};

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
