// what a command about an app is given, and how it answers
import type { ApiClient } from "./api-client.ts";
import { toJsonText } from "./list-text.ts";
import type { ProgressLine } from "./progress-line.ts";

/** What was typed after the name of a command: its arguments, and its own flags. */
export interface TypedCommand {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | undefined>>;
}

export interface AppCommandOptions {
  readonly client: ApiClient;
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly pictureAt: (artifactId: string) => string;
  /** From a file (`-` is standard input), or typed without being shown. Rejects with `UsageError`. */
  readonly readPassword: (question: string, file: string | undefined) => Promise<string>;
  /** Rejects with `UsageError`. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: nothing is shown. */
  readonly progress?: ProgressLine;
}

export type RunAppCommand = (options: AppCommandOptions, command: TypedCommand) => Promise<number>;

/** JSON for programs, else words; gives the exit code. */
export function show<T>({ json, write }: AppCommandOptions, value: T, describe: (value: T) => string): number {
  write(json ? toJsonText(value) : describe(value));
  return 0;
}
