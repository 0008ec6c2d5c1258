// names and passwords ⇄ accounts.json
import {
  type Account,
  type AccountChange,
  accessRoleSchema,
  accountSchema,
  type NewAccount,
} from "@vision-agent/protocol";
import PQueue from "p-queue";
import { z } from "zod";
import { KindedError } from "../workspace/kinded-error.ts";
import { LOCAL } from "./identity.ts";
import type { PasswordHasher } from "./password-hash.ts";
import type { RecordFile } from "./record-file.ts";

/** Its name in the workspace. */
export const ACCOUNTS_FILE = "accounts.json";

export const accountRecordSchema = accountSchema.extend({ role: accessRoleSchema, password_hash: z.string() });
export type AccountRecord = z.infer<typeof accountRecordSchema>;

/** `not_found` · `taken` the name is in use. */
export class AccountError extends KindedError<"not_found" | "taken"> {}

/** The people who may sign in. Names are compared without case. Methods reject with `AccountError` or `StoreError`. */
export interface Accounts {
  list(): readonly Account[];
  find(name: string): Account | undefined;
  /** Takes as long for a name that does not exist. */
  check(name: string, password: string): Promise<Account | undefined>;
  add(account: NewAccount): Promise<Account>;
  change(name: string, change: AccountChange): Promise<Account>;
  remove(name: string): Promise<Account>;
}

export interface AccountsOptions {
  readonly file: RecordFile<AccountRecord>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly hasher: PasswordHasher;
}

export function createAccounts({ file, now, hasher }: AccountsOptions): Accounts {
  let records = [...file.loaded];
  const find = (name: string): AccountRecord | undefined => {
    const wanted = name.toLowerCase();
    return records.find((one) => one.name.toLowerCase() === wanted);
  };
  const mustFind = (name: string): AccountRecord => {
    const record = find(name);
    if (record !== undefined) return record;
    throw new AccountError("not_found", `There is no account ${name}.`);
  };
  const queue = new PQueue({ concurrency: 1 });
  /** What is not on disk did not happen: a removed account must not come back with a restart. */
  const edit = (make: () => readonly [AccountRecord, AccountRecord[]]): Promise<Account> =>
    queue.add(async () => {
      const [record, next] = make();
      await file.save(next);
      records = next;
      return toAccount(record);
    });

  return {
    list: () => records.map(toAccount),
    find(name) {
      const record = find(name);
      return record && toAccount(record);
    },
    async check(name, password) {
      const record = find(name);
      const fits = await hasher.fits(password, record?.password_hash);
      return record !== undefined && fits ? toAccount(record) : undefined;
    },
    async add({ password, ...account }) {
      const password_hash = await hasher.hash(password);
      const { name } = account;
      return edit(() => {
        if (name.toLowerCase() === LOCAL || find(name) !== undefined) {
          throw new AccountError("taken", `The name ${name} is in use; choose another.`);
        }
        const record = { ...account, created_at: new Date(now()).toISOString(), password_hash };
        return [record, [...records, record]];
      });
    },
    async change(name, { password, role, cameras }) {
      const password_hash = password === undefined ? undefined : await hasher.hash(password);
      return edit(() => {
        const before = mustFind(name);
        const record = {
          ...before,
          ...(role && { role }),
          ...(cameras !== undefined && { cameras }),
          ...(password_hash && { password_hash }),
        };
        return [record, records.map((one) => (one === before ? record : one))];
      });
    },
    remove: (name) =>
      edit(() => {
        const record = mustFind(name);
        return [record, records.filter((one) => one !== record)];
      }),
  };
}

function toAccount({ password_hash: _hash, ...account }: AccountRecord): Account {
  return account;
}
