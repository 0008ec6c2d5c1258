// a server → addresses on this machine
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { errorCode } from "../../workspace/file-port.ts";
import { KindedError } from "../../workspace/kinded-error.ts";
import type { HttpServer, ServerReach } from "./http-parts.ts";

/** `port_in_use` · `not_loopback` other machines could reach it, and something that protects it is missing. */
export type ListenErrorKind = "port_in_use" | "not_loopback" | "other";

/** The server cannot listen. The message is one sentence with the way out. */
export class ListenError extends KindedError<ListenErrorKind> {}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

/** All addresses of the machine, and the one that its own programs use. */
const FOR_ALL: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly reach?: ServerReach;
}

/** Resolves with the address for programs of this machine, e.g. `http://127.0.0.1:4750`. Rejects with `ListenError`. */
export async function listen(server: HttpServer, { host, port, reach }: ListenOptions): Promise<string> {
  if (!isLoopback(host) && reach?.tls === undefined && reach?.publicUrl === undefined) {
    throw new ListenError("not_loopback", `Listening on ${host} needs TLS or a reverse proxy; use 127.0.0.1.`);
  }
  try {
    await server.listen({ host, port });
  } catch (thrown) {
    throw toListenError(thrown, { host, port });
  }
  const bound = server.server.address() as AddressInfo;
  if (reach?.tls !== undefined) return listenForPrograms(server);
  const name = FOR_ALL[host] ?? host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${bound.port}`;
}

/** Beside TLS, plain HTTP on loopback: programs of this machine need not trust a certificate that nobody signed. */
async function listenForPrograms(server: HttpServer): Promise<string> {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = server.server;
  const waits = { headersTimeout, requestTimeout, keepAliveTimeout, connectionsCheckingInterval: 1000 };
  const local = createServer(waits, (request, response) => server.routing(request, response));
  await new Promise<void>((done, fail) => local.once("error", fail).listen(0, "127.0.0.1", done));
  server.server.once("close", () => {
    local.close();
    local.closeAllConnections();
  });
  return `http://127.0.0.1:${(local.address() as AddressInfo).port}`;
}

function toListenError(thrown: unknown, { host, port }: { host: string; port: number }): ListenError {
  const code = errorCode(thrown);
  if (code === "EADDRINUSE") {
    const message = `Port ${port} is in use by another program; choose another with --port N.`;
    return new ListenError("port_in_use", message, thrown);
  }
  if (code === "EACCES") {
    const message = `Port ${port} may not be used by this user; choose one above 1023 with --port N.`;
    return new ListenError("other", message, thrown);
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    const message = `${host} is no address of this computer; use 127.0.0.1, or 0.0.0.0 for all of its addresses.`;
    return new ListenError("other", message, thrown);
  }
  return new ListenError("other", `The server cannot listen on port ${port}: ${String(thrown)}`, thrown);
}
