// a request → its host, origin, sender and role are checked before anything is read → the route, or 401, 403, 429
import { BlockList, isIPv6, type Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../../access/identity.ts";
import type { HttpParts, HttpServer, ServerReach } from "./http-parts.ts";
import { HttpProblem, tooMany } from "./http-problem.ts";
import { createRequestLimit } from "./request-limit.ts";

/** Who may call a route: everybody, whoever is signed in (and sees its own cameras only), or owners. */
export type RouteRole = "open" | "viewer" | "owner";

declare module "fastify" {
  interface FastifyRequest {
    /** Who sent it; undefined where nobody is signed in. */
    identity: Identity | undefined;
    /** It stands in the audit log already. */
    isAudited: boolean;
  }
  interface FastifyContextConfig {
    /** Absent is `owner`: a route that forgets to say is closed. */
    role?: RouteRole;
  }
}

type GuardParts = Pick<HttpParts, "access" | "reach" | "limits" | "clock">;

/** A dashboard with a wall of cameras stays far below; a loop that went wild does not. */
const REQUEST_LIMIT = { burst: 1200, perSecond: 200 };
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The hook runs before bodies are read: strangers cannot make the server parse anything. */
export function addGuard(server: HttpServer, { access, reach = LOOPBACK_ONLY, limits, clock }: GuardParts): void {
  const waitOf = createRequestLimit({ monotonic: () => clock.monotonic(), ...REQUEST_LIMIT, ...limits });
  server.decorateRequest("identity", undefined);
  server.decorateRequest("isAudited", false);
  const isKnownPeer = createPeerCheck(reach);
  server.addHook("onRequest", async (request, reply) => {
    if (!isKnownPeer(request.socket)) {
      throw new HttpProblem(403, "foreign_client", "This server is reached through its reverse proxy only.");
    }
    mustBeOurHost(request, reach);
    const waitMs = waitOf(request.ip);
    if (waitMs > 0) throw tooMany(waitMs, "Too many requests.");
    const role = request.is404 ? "open" : (request.routeOptions.config.role ?? "owner");
    mustBeOurOrigin(request, { reach, role });
    const { authorization, cookie } = request.headers;
    const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    request.identity = access.identify({ bearer, cookie: cookieOf(cookie, cookieName(ownOrigin(request, reach))) });
    mustHaveRole(request, reply, role);
    endWithLogin(request, reply);
  });
  server.addHook("onResponse", async (request, { statusCode }) => {
    const isChange = !SAFE_METHODS.has(request.method) && !request.is404 && request.identity !== undefined;
    if (isChange && !request.isAudited && (statusCode < 400 || statusCode === 403)) {
      recordChange(access, request, { status: statusCode });
    }
  });
}

/** Behind a proxy that does TLS, nobody else on the network is spoken to: it would be in the clear. */
function createPeerCheck({
  proxies,
}: ServerReach): (socket: Pick<Socket, "remoteAddress" | "localAddress">) => boolean {
  if (proxies === undefined) return () => true;
  const known = new BlockList();
  for (const entry of ["127.0.0.0/8", "::1", ...proxies]) {
    const [address = "", bits] = entry.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) known.addAddress(address, family);
    else known.addSubnet(address, Number(bits), family);
  }
  return ({ remoteAddress, localAddress }) => {
    const peer = remoteAddress?.replace(/^::ffff:/, "") ?? "";
    return remoteAddress === localAddress || known.check(peer, isIPv6(peer) ? "ipv6" : "ipv4");
  };
}

export const LOOPBACK_ONLY: ServerReach = { names: [] };
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Under any other name a page of another site could read this server as its own (DNS rebinding). */
function mustBeOurHost({ host, socket }: FastifyRequest, { names, publicUrl }: ServerReach): void {
  const name = /^(\[[\da-f:]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(host ?? "")?.[1]?.toLowerCase();
  const known =
    name !== undefined &&
    (LOOPBACK.has(name) ||
      names.some((one) => one.toLowerCase() === name) ||
      (publicUrl !== undefined && new URL(publicUrl).hostname === name) ||
      // Nobody can rebind the very address that was called.
      name.replace(/^\[|\]$/g, "") === socket.localAddress?.replace(/^::ffff:/, ""));
  if (known) return;
  const also = [...names, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])].join(", ");
  const message = `This server answers only to localhost, 127.0.0.1 and [::1]${also && `, and to ${also}`}.`;
  throw new HttpProblem(403, "foreign_host", message, "Add other names to server.names in config.yaml.");
}

/** Scheme, host and port as the browser sees them. */
export function ownOrigin({ protocol, host }: FastifyRequest, { publicUrl }: ServerReach): string {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl);
  return known?.host === host ? known.origin : `${protocol}://${host}`;
}

/**
 * A page of another origin, another port of localhost included, may not act here, nor show pictures or live views.
 * Browsers set these headers, and pages cannot.
 */
function mustBeOurOrigin(
  request: FastifyRequest,
  { reach, role }: { readonly reach: ServerReach; readonly role: RouteRole },
): void {
  const { origin, "sec-fetch-site": site } = request.headers;
  if (SAFE_METHODS.has(request.method) && role === "open") return;
  const isForeign = origin !== undefined && origin !== ownOrigin(request, reach);
  if (!isForeign && (site === undefined || site === "same-origin" || site === "none")) return;
  throw new HttpProblem(403, "foreign_origin", "Pages of other sites and other ports may not use this server.");
}

const SIGN_IN = "Programs send Authorization: Bearer TOKEN with the token of server.json; people sign in at /login.";

function mustHaveRole({ identity }: FastifyRequest, reply: FastifyReply, role: RouteRole): void {
  if (role === "open") return;
  if (identity === undefined) {
    reply.header("www-authenticate", "Bearer");
    throw new HttpProblem(401, "unauthorized", "Sign in first.", SIGN_IN);
  }
  if (role === "viewer" || identity.role === "owner") return;
  throw new HttpProblem(403, "forbidden", "Only an owner may do this; this account may look at its cameras.");
}

/** Streams outlive the request that opened them, but not the login. */
function endWithLogin({ identity, routeOptions }: FastifyRequest, { raw }: FastifyReply): void {
  // Whoever signs out still gets the answer.
  if (identity?.loginId === undefined || routeOptions.url === "/api/logout") return;
  const end = (): void => void raw.destroy();
  identity.ended.addEventListener("abort", end, { once: true });
  raw.once("close", () => identity.ended.removeEventListener("abort", end));
}

/** Who asked for what; never the body. A run of the agent is named, so that its own changes can be found. */
export function recordChange(
  { audit }: HttpParts["access"],
  request: FastifyRequest,
  { status, runId, who }: { readonly status: number; readonly runId?: string; readonly who?: string },
): void {
  request.isAudited = true;
  const { identity, ip, method, url } = request;
  audit.record({
    who: who ?? identity?.name ?? "unknown",
    role: identity?.role ?? null,
    client: ip,
    request: `${method} ${url.split("?")[0]?.slice(0, 200)}`,
    status,
    ...(runId && { run_id: runId }),
  });
}

/** Cookies know no ports: with the port in the name, two servers on one computer keep theirs apart. */
export function cookieName(origin: string): string {
  const { port, protocol } = new URL(origin);
  const name = port === "" ? "vision_agent" : `vision_agent_${port}`;
  return protocol === "https:" ? `__Host-${name}` : name;
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  const found = header?.split(";").find((part) => part.trimStart().startsWith(`${name}=`));
  return found?.trim().slice(name.length + 1) || undefined;
}
