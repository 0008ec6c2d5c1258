// lines typed in the chat ⇄ a file of the workspace
import PQueue from "p-queue";
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
  const queue = new PQueue({ concurrency: 1 });
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
      return queue.add(() => files.writeAtomic(path, text));
    },
  };
}
