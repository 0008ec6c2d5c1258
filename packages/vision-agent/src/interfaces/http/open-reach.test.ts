import { mkdtemp, rm, stat } from "node:fs/promises";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openOwnCertificate } from "../../access/own-certificate.ts";
import { loadConfig } from "../../config/load-config.ts";
import { fakeParts } from "../../testing/fake-http-parts.ts";
import { openGuardedApp, VIEWER_PASSWORD } from "../../testing/signed-in.ts";
import { nodeFiles } from "../../workspace/node-files.ts";
import { createHttpServer } from "./create-http-server.ts";
import type { HttpServer, ServerReach } from "./http-parts.ts";
import { listen } from "./listen.ts";
import { openReach, publicAddress } from "./open-reach.ts";

const NOW = Date.parse("2026-11-01T00:00:00Z");
const OWNER = { name: "anna", role: "owner", cameras: null, created_at: "2026-01-01T00:00:00.000Z" } as const;

let folder: string;
const servers: HttpServer[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vision-agent-reach-"));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await rm(folder, { recursive: true, force: true });
});

function reachOf(configText: string, { accounts = [OWNER] }: { readonly accounts?: readonly (typeof OWNER)[] } = {}) {
  const config = loadConfig({ env: {}, configText }).server;
  return openReach({ config, accounts: { list: () => accounts }, files: nodeFiles, folder, now: () => NOW });
}

describe("being reached from other computers", () => {
  it("needs an owner's account first, and says how to add one", async () => {
    const refused = reachOf("server:\n  host: 0.0.0.0\n", { accounts: [] });
    await expect(refused).rejects.toMatchObject({ kind: "not_loopback" });
    await expect(refused).rejects.toThrow("vision-agent account add NAME --role owner");
    const proxied = "server:\n  behind_proxy:\n    url: https://cameras.example.org\n";
    await expect(reachOf(proxied, { accounts: [] })).rejects.toMatchObject({ kind: "not_loopback" });
    expect(await reachOf("", { accounts: [] })).toEqual({ names: [] });
  });

  it("gets a certificate for its names, which is kept, private and renewed in time", async () => {
    const text = "server:\n  host: 0.0.0.0\n  names: [cameras.home]\n";
    const { tls, names } = await reachOf(text);
    expect(names).toContain("cameras.home");
    expect((await reachOf(text)).tls).toEqual(tls);
    expect((await stat(join(folder, "tls", "key.pem"))).mode & 0o777).toBe(0o600);
    const named = { files: nodeFiles, folder: join(folder, "tls"), names: ["other.home"], now: () => NOW };
    expect((await openOwnCertificate(named)).cert).not.toBe(tls?.cert);
    const later = { ...named, now: () => NOW + 370 * 86_400_000 };
    const renewed = await openOwnCertificate(later);
    expect((await openOwnCertificate(later)).cert).toBe(renewed.cert);
    await nodeFiles.writeAtomic(join(folder, "tls", "cert.pem"), "damaged");
    expect((await openOwnCertificate(later)).cert).toContain("BEGIN CERTIFICATE");
  });

  it("takes a certificate that is given, and says which file cannot be read", async () => {
    const own = await openOwnCertificate({ files: nodeFiles, folder, names: ["a.home"], now: () => NOW });
    const text = "server:\n  host: 0.0.0.0\n  tls:\n    cert: cert.pem\n    key: key.pem\n";
    expect((await reachOf(text)).tls).toEqual(own);
    await expect(reachOf(text.replace("key.pem", "none.pem"))).rejects.toThrow("server.tls.key: the file none.pem");
  });

  it("is told to people with the fingerprint of the certificate", async () => {
    const reach = await reachOf("server:\n  host: 0.0.0.0\n  names: [cameras.home]\n");
    expect(publicAddress(reach, { host: "0.0.0.0", port: 1 })).toEqual({
      url: "https://cameras.home:1",
      fingerprint: expect.stringMatching(/^(?:[\dA-F]{2}:){31}[\dA-F]{2}$/),
    });
    expect(publicAddress({ names: [] }, { host: "127.0.0.1", port: 1 })).toBeUndefined();
  });
});

describe("a server with TLS", () => {
  it("speaks TLS to others, plain HTTP to programs of this computer, and gives secure cookies", async () => {
    const tls = await openOwnCertificate({ files: nodeFiles, folder, names: ["localhost"], now: Date.now });
    const reach: ServerReach = { names: ["cameras.home"], tls };
    const { server, access } = await openGuardedApp({ over: { reach } });
    servers.push(server);
    const address = await listen(server, { host: "127.0.0.1", port: 0, reach });
    const program = { headers: { authorization: `Bearer ${access.token}` } };
    expect((await fetch(`${address}/api/cameras`, program)).status).toBe(200);
    const { port } = server.server.address() as { port: number };
    expect(address).not.toContain(String(port));
    const body = JSON.stringify({ name: "guest", password: VIEWER_PASSWORD });
    const answer = await callTls({ port, ca: tls.cert, host: `cameras.home:${port}`, path: "/api/login", body });
    expect(answer.status).toBe(200);
    expect(answer.headers["strict-transport-security"]).toContain("max-age=");
    expect(answer.headers["set-cookie"]?.[0]).toMatch(
      new RegExp(`^__Host-vision_agent_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=\\d+; Secure$`),
    );
    const other = await callTls({ port, ca: tls.cert, host: `evil.example:${port}`, path: "/api/login", body });
    expect(other.status).toBe(403);
    await server.close();
    await expect(fetch(`${address}/healthz`)).rejects.toThrow();
  });
});

describe("a server behind a reverse proxy", () => {
  const reach: ServerReach = {
    names: [],
    publicUrl: "https://cameras.example.org",
    proxies: ["127.0.0.1", "10.1.0.0/16"],
  };
  const open = async () => {
    const server = await createHttpServer(fakeParts({ over: { reach } }));
    servers.push(server);
    return (headers: Record<string, string>, remoteAddress = "127.0.0.1") =>
      server.inject({ method: "POST", url: "/api/sessions", headers, remoteAddress });
  };

  it("has the proxy's origin, and no other, whether the proxy keeps the host or forwards it", async () => {
    const call = await open();
    const own = "https://cameras.example.org";
    const forwarded = {
      host: "127.0.0.1:4750",
      "x-forwarded-host": "cameras.example.org",
      "x-forwarded-proto": "https",
    };
    expect((await call({ ...forwarded, origin: own })).statusCode).toBe(201);
    expect((await call({ host: "cameras.example.org", origin: own })).statusCode).toBe(201);
    expect((await call({ ...forwarded, origin: "http://cameras.example.org" })).statusCode).toBe(403);
    expect((await call({ ...forwarded, origin: "https://127.0.0.1:4750" })).statusCode).toBe(403);
  });

  it("speaks to the proxy and to this computer only", async () => {
    const call = await open();
    const host = { host: "cameras.example.org" };
    expect((await call(host, "10.1.2.3")).statusCode).toBe(201);
    const direct = await call(host, "10.2.0.1");
    expect([direct.statusCode, direct.json().error.code]).toEqual([403, "foreign_client"]);
  });

  it("does not believe what others say about the host", async () => {
    const server = await createHttpServer(fakeParts());
    servers.push(server);
    const headers = { host: "evil.example", "x-forwarded-host": "localhost" };
    expect((await server.inject({ url: "/api/cameras", headers })).statusCode).toBe(403);
  });
});

interface TlsCall {
  readonly port: number;
  readonly ca: string;
  readonly host: string;
  readonly path: string;
  readonly body: string;
}

function callTls({ port, ca, host, path, body }: TlsCall) {
  const headers = { host, "content-type": "application/json" };
  const options = { port, ca, path, headers, method: "POST", servername: "localhost", agent: false };
  return new Promise<{
    status: number | undefined;
    headers: NodeJS.Dict<string | string[]> & { "set-cookie"?: string[] };
  }>((done, fail) => {
    const call = httpsRequest(options, (response) => {
      response.resume();
      done({ status: response.statusCode, headers: response.headers as never });
    });
    call.on("error", fail);
    call.end(body);
  });
}
