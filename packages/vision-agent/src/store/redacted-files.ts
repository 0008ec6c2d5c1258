import type { FilePort } from "../workspace/file-port.ts";

/** The same disk for what the app itself writes down: it passes `redact` first. Never for a person's own files. */
export function createRedactedFiles(files: FilePort, redact: (text: string) => string): FilePort {
  return {
    ...files,
    writeAtomic: (path, text) => files.writeAtomic(path, redact(text)),
    append: (path, text) => files.append(path, redact(text)),
    createNew: (path, text) => files.createNew(path, redact(text)),
  };
}
