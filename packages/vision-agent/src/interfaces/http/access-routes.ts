// signing in and out, accounts, browsers that are signed in, and who changed what
import {
  accountChangeSchema,
  accountSchema,
  auditSchema,
  browserLoginSchema,
  loginCodeSchema,
  loginRequestSchema,
  meSchema,
  newAccountSchema,
} from "@vision-agent/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { LOGIN_DAYS } from "../../access/browser-logins.ts";
import type { Identity } from "../../access/identity.ts";
import type { RequestSender } from "../../access/open-access.ts";
import { cookieName, LOOPBACK_ONLY, ownOrigin, recordChange } from "./guard.ts";
import type { HttpParts } from "./http-parts.ts";
import { HttpProblem, notFound, tooMany } from "./http-problem.ts";
import type { AddRoute } from "./route.ts";

/** Sends the page that holds the sign-in form. */
export type SendPage = (reply: FastifyReply) => FastifyReply;

export function addLoginRoutes(route: AddRoute, parts: HttpParts, sendPage: SendPage): void {
  const { access, reach = LOOPBACK_ONLY } = parts;
  const setCookie = (request: FastifyRequest, reply: FastifyReply, value: string): void => {
    const origin = ownOrigin(request, reach);
    const age = value === "" ? 0 : LOGIN_DAYS * 86_400;
    const rules = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${origin.startsWith("https:") ? "; Secure" : ""}`;
    reply.header("set-cookie", `${cookieName(origin)}=${value}; ${rules}`).header("cache-control", "no-store");
  };

  route(
    "GET /login",
    {
      about: "The sign-in page; with ?token= (the token of server.json, or a one-time code) it signs the browser in",
      query: { token: z.string().max(200).optional() },
      role: "open",
      streams: true, // a HEAD must not use up a code
    },
    async ({ query: { token }, request }, reply) => {
      reply.header("cache-control", "no-store");
      if (token === undefined) return sendPage(reply);
      const signedIn = await access.signInWithLink(token, senderOf(request));
      if (signedIn.kind === "signed_in") {
        recordChange(access, request, { status: 303, who: signedIn.name });
        setCookie(request, reply, signedIn.cookie);
        return reply.redirect("/", 303);
      }
      // A link that was opened twice in the same browser.
      if (request.identity !== undefined) return reply.redirect("/", 303);
      return sendPage(reply.code(401));
    },
  );

  route(
    "POST /api/login",
    { about: "Sign a browser in by name and password", body: loginRequestSchema, answer: meSchema, role: "open" },
    async ({ body: { name, password }, request }, reply) => {
      const account = access.accounts.find(name);
      const signedIn = await access.signIn(name, password, senderOf(request));
      if (signedIn.kind === "wait") throw tooMany(signedIn.waitMs, "Too many attempts to sign in.");
      // A name that nobody has may be a password in the wrong field.
      const who = account?.name ?? "unknown";
      recordChange(access, request, { status: signedIn.kind === "refused" ? 401 : 200, who });
      if (signedIn.kind === "refused" || account === undefined) {
        throw new HttpProblem(401, "wrong_password", "The name or the password is wrong.");
      }
      setCookie(request, reply, signedIn.cookie);
      return toMe(account);
    },
  );

  const left = { about: "Sign this browser out", answer: z.object({ signed_out: z.literal(true) }), role: "viewer" };
  route("POST /api/logout", { ...left, role: "viewer" }, async ({ who, request }, reply) => {
    setCookie(request, reply, "");
    await access.logins.end(({ id }) => id === who.loginId);
    return { signed_out: true as const };
  });

  route("GET /api/me", { about: "Who is signed in", answer: meSchema, role: "viewer" }, ({ who }) => toMe(who));

  const made = { about: "A code that signs one browser in, once, within 15 minutes", answer: loginCodeSchema };
  route("POST /api/login-codes", { ...made, status: 201 }, ({ request }) => {
    const { code, expiresAt } = access.createCode();
    const origin = reach.publicUrl ?? ownOrigin(request, reach);
    return { url: `${origin.replace(/\/$/, "")}/login`, code, expires_at: expiresAt };
  });
}

export function addAccountRoutes(route: AddRoute, { access, changes, cameras }: HttpParts): void {
  const { accounts, logins, audit } = access;
  /** A right to a camera that is misspelt would be a right to nothing. */
  const mustBeCameras = (names: readonly string[] | null | undefined): void => {
    const unknown = names?.find((name) => cameras.find(name) === undefined);
    if (unknown === undefined) return;
    const known = cameras.list().map(({ name }) => name);
    throw new HttpProblem(422, "unknown_camera", `There is no camera ${unknown}.`, `Cameras: ${known.join(", ")}.`);
  };
  const listed = { about: "Accounts", answer: z.array(accountSchema) };
  route("GET /api/accounts", listed, () => [...accounts.list()]);

  const added = { about: "Add an account", body: newAccountSchema, answer: accountSchema, status: 201 } as const;
  route("POST /api/accounts", added, ({ body }) => {
    mustBeCameras(body.cameras);
    return accounts.add(body);
  });

  const changed = { about: "Change a password, a role or cameras; its browsers sign in again", answer: accountSchema };
  route("PATCH /api/accounts/:name", { ...changed, body: accountChangeSchema }, ({ name, body }) => {
    mustBeCameras(body.cameras);
    return accounts.change(name, body);
  });

  const removed = { about: "Remove an account and sign its browsers out", answer: accountSchema };
  route("DELETE /api/accounts/:name", removed, ({ name }) => accounts.remove(name));

  const signedIn = { about: "Browsers that are signed in, newest first", answer: z.array(browserLoginSchema) };
  const toLogin = ({ token_hash: _hash, ...login }: ReturnType<typeof logins.list>[number], who: Identity) => ({
    ...login,
    current: login.id === who.loginId,
  });
  route("GET /api/logins", signedIn, ({ who }) => logins.list().map((login) => toLogin(login, who)));

  const ended = { about: "Sign a browser out", answer: browserLoginSchema };
  route("DELETE /api/logins/:id", ended, async ({ id, who }) => {
    const login = logins.list().find((one) => one.id === id);
    if (login === undefined) throw notFound(`There is no login ${id}.`);
    await logins.end((one) => one.id === id);
    return toLogin(login, who);
  });

  route(
    "GET /api/audit",
    {
      about: "Who changed what, newest first; with what the agent changed when it was asked to",
      query: { limit: z.coerce.number().int().min(1).max(1000).default(100) },
      answer: auditSchema,
    },
    ({ query: { limit } }) =>
      audit.list(limit).map((entry) => ({
        ...entry,
        changes: entry.run_id === undefined ? [] : [...changes.list({ run: entry.run_id })],
      })),
  );
}

function toMe({ name, role, cameras }: Pick<Identity, "name" | "role" | "cameras">) {
  return { name, role, cameras: cameras && [...cameras] };
}

function senderOf({ ip, headers }: FastifyRequest): RequestSender {
  return { client: ip, browser: headers["user-agent"] ?? "" };
}
