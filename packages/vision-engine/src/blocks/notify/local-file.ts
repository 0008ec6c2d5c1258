// text → file in an allowed folder
import { join } from "node:path";
import { EngineError } from "../../errors.ts";
import type { Block, BlockInputs, BlockOutputs } from "../block.ts";
import { textOf } from "../block-inputs.ts";
import type { FilePlace } from "../effects.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { createEntryLog, createFileNames, type FileRequest, fileRequestOf, withNewline } from "./log-entries.ts";
import { disabledMessage, reasonOf } from "./notification.ts";

export const localFileSink: Block = {
  manifest: manifestOf("roboflow_core/local_file_sink@v1"),
  description: "Writes text into files: one for each call, or a log that grows.",
  phrase: () => "writes a file",
  create({ effects, now }) {
    const nameOf = createFileNames(now);
    const log = createEntryLog(nameOf);
    return {
      async run(inputs): Promise<BlockOutputs> {
        const disabled = disabledMessage(effects, inputs);
        if (disabled !== undefined) return { error_status: false, message: disabled };
        const files = allowedFiles(effects.files);
        const request = fileRequestOf(inputs);
        const folder = folderOf(files, inputs);
        if (request.mode === "append_log") return append(files, folder, log, request);
        return saveSeparately(files, files.locate(join(folder, nameOf(request.prefix, request.fileType))), request);
      },
    };
  },
};

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
