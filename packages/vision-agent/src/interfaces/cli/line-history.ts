// lines typed in the chat ⇄ a file of the workspace
import { replaceAddresses, withoutCredentials } from "../../workspace/camera-address.ts";
import type { FilePort } from "../../workspace/file-port.ts";

/** Lines that were typed before, newest first, as readline wants them. */
export interface LineHistory {
  load(): Promise<string[]>;
  /** Passwords inside addresses are left out. The last call wins. */
  save(lines: readonly string[]): Promise<void>;
}

export const MOST_LINES = 500;

export function createLineHistory(options: { readonly files: FilePort; readonly path: string }): LineHistory {
  const { files, path } = options;
  let queue: Promise<void> = Promise.resolve();
  return {
    async load() {
      const text = (await files.readText(path)) ?? "";
      return text
        .split("\n")
        .filter((line) => line !== "")
        .reverse()
        .slice(0, MOST_LINES);
    },
    save(lines) {
      const text = lines
        .slice(0, MOST_LINES)
        .map((line) => `${replaceAddresses(line, withoutCredentials)}\n`)
        .reverse()
        .join("");
      const saved = queue.then(() => files.writeAtomic(path, text));
      // The caller has the failure; the next one goes on.
      queue = saved.catch(() => undefined);
      return saved;
    },
  };
}
