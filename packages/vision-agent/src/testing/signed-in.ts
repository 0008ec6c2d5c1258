// a server with a real login in front of a fake app, and people who are signed in, for tests
import { randomIds, systemClock } from "@vision-agent/agent-core";
import { type Access, openAccess } from "../access/open-access.ts";
import type { PasswordCost } from "../access/password-hash.ts";
import { createHttpServer } from "../interfaces/http/create-http-server.ts";
import type { HttpServer } from "../interfaces/http/http-parts.ts";
import { type FakeParts, type FakePartsOptions, fakeParts } from "./fake-http-parts.ts";
import { createMemoryFiles } from "./memory-files.ts";

export interface GuardedApp {
  readonly parts: FakeParts;
  readonly access: Access;
  readonly server: HttpServer;
  /** Headers of each sender; the viewer sees `street`, and there is a camera `dock`, too. */
  readonly senders: Readonly<Record<"nobody" | "viewer" | "owner" | "program", Readonly<Record<string, string>>>>;
}

/** A test tries many. */
export const CHEAP_PASSWORDS: PasswordCost = { log2n: 8, r: 8, p: 1 };
export const GUARDED_HOST = "127.0.0.1:4750";
export const VIEWER_PASSWORD = "only the street";

export async function openGuardedApp(options: FakePartsOptions = {}): Promise<GuardedApp> {
  const notice = (message: string): void => void faults.push(message);
  const files = createMemoryFiles();
  const access = await openAccess({
    files,
    folder: "/w",
    clock: systemClock,
    ids: randomIds,
    passwordCost: CHEAP_PASSWORDS,
    onNotice: notice,
  });
  const faults: unknown[] = [];
  const parts = fakeParts({ ...options, over: { access, ...options.over } });
  const server = await createHttpServer(parts);
  await access.accounts.add({ name: "guest", password: VIEWER_PASSWORD, role: "viewer", cameras: ["street"] });
  const sender = { client: "127.0.0.1", browser: "test" };
  const [viewer, owner] = await Promise.all([
    access.signIn("guest", VIEWER_PASSWORD, sender),
    access.signInWithLink(access.token, sender),
  ]);
  const withCookie = (signedIn: typeof viewer) => ({
    cookie: `other=1; vision_agent_4750=${signedIn.kind === "signed_in" ? signedIn.cookie : ""}`,
  });
  return {
    parts,
    access,
    server,
    senders: {
      nobody: {},
      viewer: withCookie(viewer),
      owner: withCookie(owner),
      program: { authorization: `Bearer ${access.token}` },
    },
  };
}
