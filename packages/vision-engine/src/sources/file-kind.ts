// path → what opens it
import { access, constants, stat } from "node:fs/promises";
import { EngineError } from "../errors.ts";
import { IMAGE_NAME } from "./images/image-name.ts";

export type FileKind = "folder" | "image" | "video";

/** Throws `EngineError` kind `source` when there is nothing that could be opened. */
export async function fileKind(path: string, label: string): Promise<FileKind> {
  const file = await stat(path).catch((cause: unknown) => {
    throw failure("not_found", `There is no file or folder ${label}.`, cause);
  });
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw failure("not_readable", `${label} may not be read by this user.`, cause);
  });
  if (file.isDirectory()) return "folder";
  if (file.isFile() && file.size === 0) throw failure("no_video", `${label} is empty.`);
  // A GIF may move: ffmpeg reads both kinds.
  return IMAGE_NAME.test(path) && !/\.gif$/i.test(path) ? "image" : "video";
}

function failure(reason: "not_found" | "not_readable" | "no_video", message: string, cause?: unknown): EngineError {
  return new EngineError({ kind: "source", reason, message, cause });
}
