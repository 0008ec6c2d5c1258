// a server → an address on this machine
import { errorCode } from "../../workspace/file-port.ts";
import { KindedError } from "../../workspace/kinded-error.ts";
import type { HttpServer } from "./http-parts.ts";

/** `port_in_use` · `not_loopback` other machines could reach it, and there is no token yet. */
export type ListenErrorKind = "port_in_use" | "not_loopback" | "other";

/** The server cannot listen. The message is one sentence with the way out. */
export class ListenError extends KindedError<ListenErrorKind> {}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/** Resolves with the address for people, e.g. `http://127.0.0.1:4750`. Port 0 takes a free one. */
export async function listen(server: HttpServer, { host, port }: { host: string; port: number }): Promise<string> {
  if (!LOOPBACK.has(host)) {
    throw new ListenError("not_loopback", `Listening on ${host} needs a token, which is not there yet; use 127.0.0.1.`);
  }
  try {
    await server.listen({ host, port });
  } catch (thrown) {
    throw toListenError(thrown, port);
  }
  const bound = server.server.address();
  const name = host === "::1" ? "[::1]" : host;
  return `http://${name}:${bound !== null && typeof bound === "object" ? bound.port : port}`;
}

function toListenError(thrown: unknown, port: number): ListenError {
  const code = errorCode(thrown);
  if (code === "EADDRINUSE") {
    const message = `Port ${port} is in use by another program; choose another with --port N.`;
    return new ListenError("port_in_use", message, thrown);
  }
  if (code === "EACCES") {
    const message = `Port ${port} may not be used by this user; choose one above 1023 with --port N.`;
    return new ListenError("other", message, thrown);
  }
  return new ListenError("other", `The server cannot listen on port ${port}: ${String(thrown)}`, thrown);
}
