// cookies of browsers ⇄ their hashes in logins.json
import type { IdSource } from "@vision-agent/agent-core";
import { browserLoginSchema } from "@vision-agent/protocol";
import { z } from "zod";
import { reasonOf } from "../workspace/kinded-error.ts";
import type { RecordFile } from "./record-file.ts";
import { createSecretToken, hashToken } from "./secret-token.ts";

/** Its name in the workspace. */
export const LOGINS_FILE = "logins.json";
export const LOGIN_DAYS = 30;
const DAY_MS = 86_400_000;
/** How stale the last use may be on disk. */
const USE_WRITTEN_EVERY_MS = 3_600_000;
/** The least recently used leave first. */
const MOST_LOGINS = 200;

export const loginRecordSchema = browserLoginSchema.omit({ current: true }).extend({ token_hash: z.string() });
export type LoginRecord = z.infer<typeof loginRecordSchema>;

export interface BrowserLoginsOptions {
  readonly file: RecordFile<LoginRecord>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly ids: IdSource;
  /** Told what could not be kept. Must not throw. */
  readonly onNotice: (message: string) => void;
}

/** Browsers that are signed in. Survives a restart; a cookie itself is never stored. */
export interface BrowserLogins {
  /** Newest first. */
  list(): readonly LoginRecord[];
  /** Gives what the cookie holds. Where it cannot be written it lasts until the program ends. */
  begin(name: string, browser: string): Promise<string>;
  /** Undefined when it has ended, expired or never was. */
  find(token: string): { readonly login: LoginRecord; readonly ended: AbortSignal } | undefined;
  /** Ends all that fit, with their open streams, and gives how many. Rejects with `StoreError` when it would not last. */
  end(which: (login: LoginRecord) => boolean): Promise<number>;
}

export function createBrowserLogins({ file, now, ids, onNotice }: BrowserLoginsOptions): BrowserLogins {
  const byHash = new Map(file.loaded.map((login) => [login.token_hash, login]));
  const endings = new Map<string, AbortController>();
  const endingOf = (id: string): AbortController => {
    const known = endings.get(id) ?? new AbortController();
    endings.set(id, known);
    return known;
  };
  const drop = ({ id, token_hash }: LoginRecord): void => {
    byHash.delete(token_hash);
    endings.get(id)?.abort();
    endings.delete(id);
  };
  const isOver = ({ expires_at }: LoginRecord): boolean => Date.parse(expires_at) <= now();
  const list = (): readonly LoginRecord[] =>
    [...byHash.values()]
      .filter((login) => !isOver(login))
      .sort((one, other) => other.created_at.localeCompare(one.created_at));
  const keep = (): Promise<void> => file.save(list());
  const keepIfPossible = (): Promise<void> =>
    keep().catch((error: unknown) => onNotice(`Logins are kept only until the program ends: ${reasonOf(error)}`));
  const makeRoom = (): void => {
    for (const login of byHash.values()) if (isOver(login)) drop(login);
    const oldest = [...byHash.values()].sort((one, other) => one.last_used_at.localeCompare(other.last_used_at));
    for (const login of oldest.slice(0, Math.max(0, oldest.length + 1 - MOST_LOGINS))) drop(login);
  };

  return {
    list,
    async begin(name, browser) {
      makeRoom();
      const token = createSecretToken();
      const at = new Date(now()).toISOString();
      const expires_at = new Date(now() + LOGIN_DAYS * DAY_MS).toISOString();
      const token_hash = hashToken(token);
      const shown = browser.slice(0, 200);
      byHash.set(token_hash, {
        id: ids.next("login"),
        name,
        browser: shown,
        created_at: at,
        last_used_at: at,
        expires_at,
        token_hash,
      });
      await keepIfPossible();
      return token;
    },
    find(token) {
      const login = byHash.get(hashToken(token));
      if (login === undefined || isOver(login)) return undefined;
      if (now() - Date.parse(login.last_used_at) > USE_WRITTEN_EVERY_MS) {
        byHash.set(login.token_hash, { ...login, last_used_at: new Date(now()).toISOString() });
        void keepIfPossible();
      }
      return { login, ended: endingOf(login.id).signal };
    },
    async end(which) {
      const ending = [...byHash.values()].filter(which);
      for (const login of ending) drop(login);
      if (ending.length > 0) await keep();
      return ending.length;
    },
  };
}
