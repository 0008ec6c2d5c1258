// account, logins, link and audit → the API of an app → a table or JSON, and an exit code
import type { Account, Audit, BrowserLogin, LoginCode } from "@vision-agent/protocol";
import { type RunAppCommand, show } from "./app-command.ts";
import { UsageError } from "./exit-codes.ts";
import { toDate, toTable } from "./list-text.ts";

export const listAccounts: RunAppCommand = async (options) => {
  const accounts = await options.client.get<Account[]>("/api/accounts");
  const rows = accounts.map(({ name, role, cameras, created_at }) => [
    name,
    role,
    cameras === null ? "all cameras" : cameras.join(", ") || "no camera",
    toDate(created_at),
  ]);
  const none = "No accounts. Add one with: vision-agent account add NAME --role owner\n";
  return show(options, accounts, () => (rows.length === 0 ? none : toTable(rows)));
};

export const addAccount: RunAppCommand = async (options, { words: [name = ""], options: chosen }) => {
  const { role = "viewer", cameras } = chosen;
  if (role === "owner" && cameras !== undefined) {
    throw new UsageError("An owner sees every camera; leave out --cameras, or choose --role viewer.");
  }
  const password = await options.readPassword(`Password for ${name}: `, chosen.passwordFile);
  const account = await options.client.send<Account>("POST", "/api/accounts", {
    name,
    password,
    role,
    ...(cameras !== undefined && { cameras: listOf(cameras) }),
  });
  return show(options, account, () => `${account.name} can sign in as ${account.role}.\n`);
};

export const removeAccount: RunAppCommand = async (options, { words: [name = ""] }) => {
  const account = await options.client.send<Account>("DELETE", `/api/accounts/${encodeURIComponent(name)}`);
  return show(options, account, () => `${account.name} is removed and signed out everywhere.\n`);
};

export const changePassword: RunAppCommand = async (options, { words: [name = ""], options: chosen }) => {
  const password = await options.readPassword(`New password for ${name}: `, chosen.passwordFile);
  const path = `/api/accounts/${encodeURIComponent(name)}`;
  const account = await options.client.send<Account>("PATCH", path, { password });
  return show(options, account, () => `The password of ${account.name} is changed; its browsers must sign in again.\n`);
};

export const listLogins: RunAppCommand = async (options) => {
  const logins = await options.client.get<BrowserLogin[]>("/api/logins");
  const rows = logins.map(({ id, name, last_used_at, expires_at, browser }) => [
    id,
    name,
    toDate(last_used_at),
    toDate(expires_at),
    browser,
  ]);
  const table = toTable([["id", "account", "last used", "ends", "browser"], ...rows]);
  return show(options, logins, () => (rows.length === 0 ? "No browser is signed in.\n" : table));
};

export const endLogin: RunAppCommand = async (options, { words: [id = ""] }) => {
  const login = await options.client.send<BrowserLogin>("DELETE", `/api/logins/${encodeURIComponent(id)}`);
  return show(options, login, () => `${login.id} (${login.name}) is signed out.\n`);
};

export const makeLink: RunAppCommand = async (options) => {
  const { url, code, expires_at } = await options.client.send<LoginCode>("POST", "/api/login-codes");
  const link = `${url}?token=${code}`;
  return show(options, { url: link, expires_at }, () => `${link}\n`);
};

export const listAudit: RunAppCommand = async (options, { options: { limit } }) => {
  const entries = await options.client.get<Audit>("/api/audit", { limit });
  const lines = entries.flatMap(({ at, who, client, request, status, changes }) => [
    [toDate(at), who, client, request, String(status)],
    ...changes.map(({ text }) => ["", "", "", `  ${text}`, ""]),
  ]);
  return show(options, entries, () => (lines.length === 0 ? "No changes yet.\n" : toTable(lines)));
};

function listOf(text: string): readonly string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
