// whatever kept an app from starting → one plain sentence, the way out, an exit code
import { BackendError } from "../../backends/backend.ts";
import { ConfigError } from "../../config/config-error.ts";
import { StoreError } from "../../workspace/file-port.ts";
import { reasonOf } from "../../workspace/kinded-error.ts";
import { WorkspaceError } from "../../workspace/workspace-error.ts";
import { ListenError } from "../http/listen.ts";
import { ApiClientError } from "./api-client.ts";
import { EXIT_FAILED, EXIT_USAGE, UsageError } from "./exit-codes.ts";

export interface StartFailure {
  readonly message: string;
  readonly exitCode: number;
}

export function toStartFailure(thrown: unknown): StartFailure {
  if (thrown instanceof UsageError || thrown instanceof ConfigError) {
    return { message: thrown.message, exitCode: EXIT_USAGE };
  }
  if (thrown instanceof WorkspaceError) return { message: `${thrown.message} ${thrown.hint}`, exitCode: EXIT_FAILED };
  if (thrown instanceof ListenError) {
    return { message: thrown.message, exitCode: thrown.kind === "not_loopback" ? EXIT_USAGE : EXIT_FAILED };
  }
  if (thrown instanceof StoreError || thrown instanceof BackendError || thrown instanceof ApiClientError) {
    return { message: thrown.message, exitCode: EXIT_FAILED };
  }
  const reason = reasonOf(thrown);
  return { message: `Vision Agent stopped because of an error: ${reason.split("\n")[0]}`, exitCode: EXIT_FAILED };
}
