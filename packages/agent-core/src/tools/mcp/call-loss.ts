import { SdkError, SdkErrorCode, SdkHttpError, type Transport } from "@modelcontextprotocol/client";

/** `refused`: the server never took the call. `unknown`: nobody can tell. */
export type CallLoss = "refused" | "unknown";

/** Undefined when the server answered, be it with an error: then the connection is sound. */
export function lossOf(thrown: unknown, transport: Transport): CallLoss | undefined {
  if (thrown instanceof SdkHttpError) return isSessionGone(thrown, transport) ? "refused" : undefined;
  if (thrown instanceof SdkError) {
    if (thrown.code === SdkErrorCode.NotConnected) return "refused";
    return thrown.code === SdkErrorCode.ConnectionClosed ? "unknown" : undefined;
  }
  // What fetch throws when no answer came.
  if (!(thrown instanceof TypeError)) return undefined;
  return codeOf(thrown.cause) === "ECONNREFUSED" ? "refused" : "unknown";
}

/** A server that was started anew does not know our session and says so before it looks at the call. */
function isSessionGone({ status }: SdkHttpError, transport: Transport): boolean {
  return (status === 404 || status === 400) && transport.sessionId !== undefined;
}

function codeOf(cause: unknown): unknown {
  return typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
}
