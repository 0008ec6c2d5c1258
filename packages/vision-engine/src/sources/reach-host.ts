// host and port → whether somebody listens there, in plain words when not
import { lookup } from "node:dns/promises";
import { connect, isIP } from "node:net";
import type { ProbeFailure } from "@vision-agent/protocol";
import { EngineError } from "../errors.ts";

/** The network as a probe sees it; tests hand in their own. */
export interface Network {
  /** Throws when no host has this name. */
  lookup(host: string): Promise<void>;
  /** Connects and hangs up. Throws an error with a `code`, or the reason of the signal. */
  connect(host: string, port: number, signal: AbortSignal): Promise<void>;
}

/** The real one. */
export const systemNetwork: Network = {
  async lookup(host) {
    await lookup(host);
  },
  connect: (host, port, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const socket = connect({ host, port });
      const abort = (): void => {
        socket.destroy(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
      socket.once("connect", () => {
        socket.destroy();
        resolve();
      });
      socket.once("error", reject);
      socket.once("close", () => signal.removeEventListener("abort", abort));
    }),
};

/** Throws `EngineError` kind `source`, reason `name_not_found`, `refused` or `timeout`. */
export async function reachHost(
  { host, port }: { readonly host: string; readonly port: number },
  {
    network,
    signal,
    timeoutMs,
  }: { readonly network: Network; readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<void> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, deadline]);
  try {
    if (isIP(host) === 0) await orAborted(network.lookup(host), either);
  } catch (cause) {
    either.throwIfAborted();
    throw failure(
      "name_not_found",
      `There is no host called ${host}. Check the spelling, or write the number of its address.`,
      cause,
    );
  }
  try {
    await network.connect(host, port, either);
  } catch (cause) {
    signal.throwIfAborted();
    if (deadline.aborted || codeOf(cause) === "ETIMEDOUT") {
      const message = `${host} does not answer on port ${port}. Is it switched on and in the same network?`;
      throw failure("timeout", message, cause);
    }
    if (codeOf(cause) === "ECONNREFUSED") {
      const message = `${host} is there but refused the connection on port ${port}. Is the port right, and is streaming switched on?`;
      throw failure("refused", message, cause);
    }
    throw failure(
      "refused",
      `${host} cannot be reached from this machine. Is it switched on and in the same network?`,
      cause,
    );
  }
}

/** A name server that is silent cannot be interrupted, only left alone. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
}

function codeOf(error: unknown): unknown {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function failure(reason: ProbeFailure, message: string, cause: unknown): EngineError {
  return new EngineError({ kind: "source", reason, message, cause });
}
