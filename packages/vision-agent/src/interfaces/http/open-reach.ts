// settings → how clients reach the server, or why they may not
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { resolve } from "node:path";
import type { Accounts } from "../../access/accounts.ts";
import { fingerprintOf, openOwnCertificate, type TlsFiles } from "../../access/own-certificate.ts";
import type { Config } from "../../config/config-schema.ts";
import { expandHome } from "../../config/environment.ts";
import type { FilePort } from "../../workspace/file-port.ts";
import { reasonOf } from "../../workspace/kinded-error.ts";
import type { ServerReach } from "./http-parts.ts";
import { isLoopback, ListenError } from "./listen.ts";

export interface OpenReachOptions {
  readonly config: Config["server"];
  readonly accounts: Pick<Accounts, "list">;
  readonly files: FilePort;
  /** Folder of the workspace: paths of certificates are relative to it. */
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Beyond loopback there must be an account, and TLS: a certificate of yours, one that is made here, or a reverse proxy.
 * Throws `ListenError`.
 */
export async function openReach(options: OpenReachOptions): Promise<ServerReach> {
  const { config, accounts } = options;
  const { host, names, behindProxy } = config;
  const isLocal = isLoopback(host);
  if (isLocal && behindProxy === undefined) {
    return { names, ...(config.tls && { tls: await readTls(config.tls, options.folder) }) };
  }
  if (accounts.list().every(({ role }) => role !== "owner")) {
    const what = isLocal ? "A reverse proxy lets other computers in" : `Listening on ${host} lets other computers in`;
    const message = `${what}, and nobody could sign in: first run: vision-agent account add NAME --role owner`;
    throw new ListenError("not_loopback", message);
  }
  if (behindProxy !== undefined) return { names, publicUrl: behindProxy.url, proxies: behindProxy.addresses };
  const known = [...new Set([...names, ...ownNames(host)])];
  return { names: known, tls: await openTls(options, known) };
}

/** Names of this computer that the certificate holds for. */
function ownNames(host: string): readonly string[] {
  if (host !== "0.0.0.0" && host !== "::") return [host, "localhost"];
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reachable = addresses.filter(({ address }) => !address.startsWith("fe80:")).map(({ address }) => address);
  return ["localhost", ...reachable];
}

async function openTls({ config, files, folder, now }: OpenReachOptions, names: readonly string[]): Promise<TlsFiles> {
  if (config.tls !== undefined) return readTls(config.tls, folder);
  return openOwnCertificate({ files, folder: `${folder}/tls`, names, now }).catch((cause: unknown) => {
    throw new ListenError("other", `No certificate could be made for TLS: ${reasonOf(cause)}`, cause);
  });
}

async function readTls(paths: TlsFiles, folder: string): Promise<TlsFiles> {
  const read = (name: "cert" | "key"): Promise<string> =>
    readFile(resolve(folder, expandHome(paths[name])), "utf8").catch((cause: unknown) => {
      throw new ListenError("not_loopback", `server.tls.${name}: the file ${paths[name]} cannot be read.`, cause);
    });
  return { cert: await read("cert"), key: await read("key") };
}

/** Where people on other computers find it; undefined where they cannot. */
export function publicAddress(
  { publicUrl, names, tls }: ServerReach,
  { host, port }: { readonly host: string; readonly port: number },
): { readonly url: string; readonly fingerprint?: string } | undefined {
  if (publicUrl !== undefined) return { url: publicUrl };
  if (tls === undefined) return undefined;
  const isAny = host === "0.0.0.0" || host === "::";
  const name = isAny ? (names.find((one) => !isLoopback(one) && isIP(one) !== 6) ?? "localhost") : host;
  const written = isIP(name) === 6 ? `[${name}]` : name;
  return { url: `https://${written}:${port}`, fingerprint: fingerprintOf(tls.cert) };
}
