// whatever kept an app from starting → one plain sentence, the way out, an exit code
import { ConfigError } from "../../config/config-error.ts";
import { KindedError, reasonOf } from "../../workspace/kinded-error.ts";
import { WorkspaceError } from "../../workspace/workspace-error.ts";
import { ListenError } from "../http/listen.ts";
import { EXIT_FAILED, EXIT_USAGE, UsageError } from "./exit-codes.ts";

export interface StartFailure {
  readonly message: string;
  readonly exitCode: number;
}

export function toStartFailure(thrown: unknown): StartFailure {
  const isUsage =
    thrown instanceof UsageError ||
    thrown instanceof ConfigError ||
    (thrown instanceof ListenError && thrown.kind === "not_loopback");
  const exitCode = isUsage ? EXIT_USAGE : EXIT_FAILED;
  if (thrown instanceof WorkspaceError) return { message: `${thrown.message} ${thrown.hint}`, exitCode };
  if (isUsage || thrown instanceof KindedError) return { message: reasonOf(thrown), exitCode };
  return { message: `Vision Agent stopped because of an error: ${reasonOf(thrown).split("\n")[0]}`, exitCode };
}
