// a request's token or cookie → who sent it; links, names and passwords → logins
import type { Clock, IdSource } from "@vision-agent/agent-core";
import type { FilePort } from "../workspace/file-port.ts";
import { ACCOUNTS_FILE, type Accounts, accountRecordSchema, createAccounts } from "./accounts.ts";
import { createAttemptLimit } from "./attempt-limit.ts";
import { AUDIT_FILE, type AuditLog, openAuditLog } from "./audit-log.ts";
import { type BrowserLogins, createBrowserLogins, LOGINS_FILE, loginRecordSchema } from "./browser-logins.ts";
import { type Identity, LOCAL } from "./identity.ts";
import { createPasswordHasher, type PasswordCost } from "./password-hash.ts";
import { openRecordFile } from "./record-file.ts";
import { createSecretToken, hashToken, isSameToken } from "./secret-token.ts";

/** Long enough to walk to another computer with it. */
const CODE_MS = 15 * 60_000;
const PASSWORD_LIMIT = { free: 5, firstWaitMs: 1000, longestWaitMs: 15 * 60_000 };

/** Who sends a request, as far as the network says. */
export interface RequestSender {
  /** Address of the client. */
  readonly client: string;
  /** What the browser calls itself. */
  readonly browser: string;
}

/** `refused` name, password or code is wrong · `wait` too many attempts. */
export type SignIn =
  | { readonly kind: "signed_in"; readonly cookie: string; readonly name: string }
  | { readonly kind: "refused" }
  | { readonly kind: "wait"; readonly waitMs: number };

export interface Access {
  /** Lets programs of this computer in, as owner, until the server stops. */
  readonly token: string;
  readonly accounts: Pick<Accounts, "list" | "find" | "add" | "change" | "remove">;
  readonly logins: Pick<BrowserLogins, "list" | "end">;
  readonly audit: AuditLog;
  identify(request: {
    readonly bearer?: string | undefined;
    readonly cookie?: string | undefined;
  }): Identity | undefined;
  /** A code for one login, within a quarter of an hour. */
  createCode(): { readonly code: string; readonly expiresAt: string };
  /** With the token of this computer, any number of times, or with a code, once. */
  signInWithLink(token: string, sender: RequestSender): Promise<SignIn>;
  signIn(name: string, password: string, sender: RequestSender): Promise<SignIn>;
}

export interface AccessOptions {
  readonly files: FilePort;
  /** Folder of the workspace. */
  readonly folder: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Default: a fraction of a second. */
  readonly passwordCost?: PasswordCost;
  /** Told in a sentence what could not be read or kept. Must not throw. */
  readonly onNotice: (message: string) => void;
}

export async function openAccess(options: AccessOptions): Promise<Access> {
  const { files, folder, clock, ids, onNotice } = options;
  const { now } = clock;
  const at = (name: string): string => `${folder}/${name}`;
  const accountFile = { files, path: at(ACCOUNTS_FILE), schema: accountRecordSchema, onNotice };
  const loginFile = { files, path: at(LOGINS_FILE), schema: loginRecordSchema, onNotice };
  const hasher = createPasswordHasher(options.passwordCost);
  const accounts = createAccounts({ file: await openRecordFile(accountFile), now, hasher });
  const logins = createBrowserLogins({ file: await openRecordFile(loginFile), now, ids, onNotice });
  const audit = await openAuditLog({ files, path: at(AUDIT_FILE), now, onNotice });
  const token = createSecretToken();
  const codes = new Map<string, number>();
  const attempts = createAttemptLimit({ monotonic: () => clock.monotonic(), ...PASSWORD_LIMIT });
  const never = new AbortController().signal;

  const endLoginsOf = (name: string): Promise<number> => {
    const wanted = name.toLowerCase();
    return logins.end((login) => login.name.toLowerCase() === wanted);
  };
  const begin = async (name: string, { browser }: RequestSender): Promise<SignIn> => ({
    kind: "signed_in",
    cookie: await logins.begin(name, browser),
    name,
  });
  /** Removes it: a code counts once. */
  const takeCode = (code: string): boolean => {
    for (const [hash, expiresMs] of codes) if (expiresMs <= now()) codes.delete(hash);
    return codes.delete(hashToken(code));
  };

  return {
    token,
    accounts: {
      ...accounts,
      /** New rights or a new password: whoever is signed in signs in again. */
      async change(name, change) {
        const account = await accounts.change(name, change);
        await endLoginsOf(name);
        return account;
      },
      async remove(name) {
        const account = await accounts.remove(name);
        await endLoginsOf(name);
        return account;
      },
    },
    logins,
    audit,
    identify({ bearer, cookie }) {
      if (bearer !== undefined) {
        return isSameToken(bearer, token) ? { name: LOCAL, role: "owner", cameras: null, ended: never } : undefined;
      }
      const found = cookie === undefined ? undefined : logins.find(cookie);
      if (found === undefined) return undefined;
      const { login, ended } = found;
      if (login.name === LOCAL) return { name: LOCAL, role: "owner", cameras: null, loginId: login.id, ended };
      const account = accounts.find(login.name);
      if (account === undefined) return undefined;
      const { name, role, cameras } = account;
      return { name, role, cameras, loginId: login.id, ended };
    },
    createCode() {
      const code = createSecretToken();
      const expiresMs = now() + CODE_MS;
      codes.set(hashToken(code), expiresMs);
      return { code, expiresAt: new Date(expiresMs).toISOString() };
    },
    async signInWithLink(given, sender) {
      if (isSameToken(given, token) || takeCode(given)) return begin(LOCAL, sender);
      return { kind: "refused" };
    },
    async signIn(name, password, sender) {
      const keys = [`name ${name.toLowerCase()}`, `client ${sender.client}`];
      const waitMs = attempts.attempt(keys);
      if (waitMs > 0) return { kind: "wait", waitMs };
      const account = await accounts.check(name, password);
      if (account === undefined) return { kind: "refused" };
      attempts.succeed(keys);
      return begin(account.name, sender);
    },
  };
}
