import { randomIds, systemClock } from "@vision-agent/agent-core";
import { describe, expect, it } from "vitest";
import { createMemoryFiles, type MemoryFiles } from "../testing/memory-files.ts";
import { CHEAP_PASSWORDS } from "../testing/signed-in.ts";
import { type Access, openAccess, type SignIn } from "./open-access.ts";

const SENDER = { client: "192.0.2.7", browser: "Firefox" };
const PASSWORD = "correct horse battery";
const MINUTE = 60_000;

describe("the token of this computer and one-time codes", () => {
  it("lets programs in with the token and nobody with another", async () => {
    const { access } = await open();
    expect(access.identify({ bearer: access.token })).toMatchObject({ name: "local", role: "owner", cameras: null });
    expect(access.identify({ bearer: `${access.token}x` })).toBeUndefined();
    expect(access.identify({})).toBeUndefined();
    expect((await open()).access.token).not.toBe(access.token);
  });

  it("signs a browser in with the token any number of times, and with a code once", async () => {
    const { access } = await open();
    for (let time = 0; time < 3; time += 1) {
      expect((await access.signInWithLink(access.token, SENDER)).kind).toBe("signed_in");
    }
    const { code } = access.createCode();
    expect((await access.signInWithLink(code, SENDER)).kind).toBe("signed_in");
    expect((await access.signInWithLink(code, SENDER)).kind).toBe("refused");
  });

  it("forgets a code after a quarter of an hour", async () => {
    const { access, advance } = await open();
    const { code } = access.createCode();
    advance(15 * MINUTE);
    expect((await access.signInWithLink(code, SENDER)).kind).toBe("refused");
  });
});

describe("browsers that are signed in", () => {
  it("stay so over a restart, and the cookie itself is not on disk", async () => {
    const files = createMemoryFiles();
    const { access } = await open(files);
    const cookie = cookieOf(await access.signInWithLink(access.token, SENDER));
    const { access: later } = await open(files);
    expect(later.identify({ cookie })).toMatchObject({ name: "local", role: "owner" });
    expect([...files.contents.values()].join()).not.toContain(cookie);
    expect(later.logins.list()).toMatchObject([{ name: "local", browser: "Firefox" }]);
  });

  it("are out after thirty days", async () => {
    const { access, advance } = await open();
    const cookie = cookieOf(await access.signInWithLink(access.token, SENDER));
    advance(30 * 24 * 60 * MINUTE - 1);
    expect(access.identify({ cookie })).toBeDefined();
    advance(1);
    expect(access.identify({ cookie })).toBeUndefined();
    expect(access.logins.list()).toEqual([]);
  });

  it("are told at once when their login ends, also after a restart", async () => {
    const files = createMemoryFiles();
    const { access } = await open(files);
    const cookie = cookieOf(await access.signInWithLink(access.token, SENDER));
    const who = access.identify({ cookie });
    expect(who?.ended.aborted).toBe(false);
    await access.logins.end(({ id }) => id === who?.loginId);
    expect(who?.ended.aborted).toBe(true);
    expect(access.identify({ cookie })).toBeUndefined();
    expect((await open(files)).access.identify({ cookie })).toBeUndefined();
  });

  it("can sign in while the disk is full, until the program ends", async () => {
    const files = createMemoryFiles();
    const { access, notices } = await open(files);
    files.fault = { code: "ENOSPC" };
    const cookie = cookieOf(await access.signInWithLink(access.token, SENDER));
    expect(access.identify({ cookie })).toBeDefined();
    expect(notices.join()).toContain("only until the program ends");
  });
});

describe("accounts", () => {
  it("keep a hash with a salt of its own, never the password", async () => {
    const files = createMemoryFiles();
    const { access } = await open(files);
    await access.accounts.add({ name: "anna", password: PASSWORD, role: "owner", cameras: null });
    await access.accounts.add({ name: "ben", password: PASSWORD, role: "viewer", cameras: ["street"] });
    const written = files.contents.get("/w/accounts.json") ?? "";
    expect(written).not.toContain(PASSWORD);
    const hashes = [...written.matchAll(/scrypt\$8\$8\$1\$[\w-]+\$[\w-]+/g)].map(([hash]) => hash);
    expect(new Set(hashes).size).toBe(2);
    expect(access.accounts.list()[0]).toEqual({
      name: "anna",
      role: "owner",
      cameras: null,
      created_at: expect.stringMatching(/Z$/),
    });
  });

  it("sign in with their password only, with the rights they have now", async () => {
    const { access } = await open();
    await access.accounts.add({ name: "Ben", password: PASSWORD, role: "viewer", cameras: ["street"] });
    expect(await access.signIn("ben", "wrong", SENDER)).toEqual({ kind: "refused" });
    expect(await access.signIn("nobody", PASSWORD, SENDER)).toEqual({ kind: "refused" });
    const cookie = cookieOf(await access.signIn("ben", PASSWORD, SENDER));
    expect(access.identify({ cookie })).toMatchObject({ name: "Ben", role: "viewer", cameras: ["street"] });
  });

  it.each([
    ["removed", (access: Access) => access.accounts.remove("BEN")],
    ["given another password", (access: Access) => access.accounts.change("ben", { password: "a new password" })],
    ["given other cameras", (access: Access) => access.accounts.change("ben", { cameras: [] })],
  ])("are signed out when they are %s", async (_what, change) => {
    const { access } = await open();
    await access.accounts.add({ name: "ben", password: PASSWORD, role: "viewer", cameras: null });
    const cookie = cookieOf(await access.signIn("ben", PASSWORD, SENDER));
    await change(access);
    expect(access.identify({ cookie })).toBeUndefined();
  });

  it("refuse a name that is in use, whatever its case, and the name of this computer", async () => {
    const { access } = await open();
    const one = { name: "ben", password: PASSWORD, role: "viewer", cameras: null } as const;
    const adding = ["ben", "Ben"].map((name) => access.accounts.add({ ...one, name }));
    expect((await Promise.allSettled(adding)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    await expect(access.accounts.add({ ...one, name: "Local" })).rejects.toMatchObject({ kind: "taken" });
    await expect(access.accounts.remove("carl")).rejects.toMatchObject({ kind: "not_found" });
  });

  it("are not removed where the disk does not take it", async () => {
    const files = createMemoryFiles();
    const { access } = await open(files);
    await access.accounts.add({ name: "ben", password: PASSWORD, role: "viewer", cameras: null });
    files.fault = { code: "ENOSPC" };
    await expect(access.accounts.remove("ben")).rejects.toMatchObject({ kind: "no_space" });
    expect(access.accounts.find("ben")).toBeDefined();
  });

  it("are none, with a notice, when their file is damaged; it is set aside", async () => {
    const files = createMemoryFiles({ "/w/accounts.json": '{"version":1,"records":[{"name":"x"' });
    const { access, notices } = await open(files);
    expect(access.accounts.list()).toEqual([]);
    expect(files.contents.get("/w/accounts.json.broken")).toContain('"x"');
    expect(notices.join()).toContain("accounts.json.broken");
  });
});

describe("guessing passwords", () => {
  it("is slowed down by name and by client, longer each time, and over with a success", async () => {
    const { access, advance } = await open();
    await access.accounts.add({ name: "ben", password: PASSWORD, role: "viewer", cameras: null });
    for (let time = 0; time < 5; time += 1) expect((await access.signIn("ben", "wrong", SENDER)).kind).toBe("refused");
    expect(await access.signIn("ben", PASSWORD, SENDER)).toEqual({ kind: "wait", waitMs: 1000 });
    const elsewhere = { client: "192.0.2.8", browser: "" };
    expect((await access.signIn("ben", PASSWORD, elsewhere)).kind).toBe("wait");
    expect((await access.signIn("anna", "wrong", SENDER)).kind).toBe("wait");
    advance(1000);
    expect((await access.signIn("ben", "wrong", SENDER)).kind).toBe("refused");
    expect(await access.signIn("ben", PASSWORD, SENDER)).toEqual({ kind: "wait", waitMs: 2000 });
    advance(2000);
    expect((await access.signIn("ben", PASSWORD, SENDER)).kind).toBe("signed_in");
    expect((await access.signIn("ben", "wrong", SENDER)).kind).toBe("refused");
  });

  it("does not slip through by asking many times at once", async () => {
    const { access } = await open();
    const all = await Promise.all(Array.from({ length: 12 }, () => access.signIn("ben", "wrong", SENDER)));
    expect(all.filter(({ kind }) => kind === "refused")).toHaveLength(5);
  });
});

describe("the audit log", () => {
  it("keeps who changed what over a restart, newest first", async () => {
    const files = createMemoryFiles();
    const { access } = await open(files);
    const entry = { role: "owner", client: "127.0.0.1", status: 200 } as const;
    access.audit.record({ ...entry, who: "local", request: "POST /api/watches" });
    access.audit.record({ ...entry, who: "anna", request: "DELETE /api/watches/w1" });
    await new Promise((written) => setTimeout(written, 10));
    expect((await open(files)).access.audit.list(10).map(({ who }) => who)).toEqual(["anna", "local"]);
  });
});

async function open(files: MemoryFiles = createMemoryFiles()) {
  let ms = Date.parse("2026-01-01T10:00:00Z");
  const notices: string[] = [];
  const access = await openAccess({
    files,
    folder: "/w",
    clock: { ...systemClock, now: () => ms, monotonic: () => ms },
    ids: randomIds,
    passwordCost: CHEAP_PASSWORDS,
    onNotice: (message) => notices.push(message),
  });
  const advance = (byMs: number): void => {
    ms += byMs;
  };
  return { access, notices, advance };
}

function cookieOf(signedIn: SignIn): string {
  if (signedIn.kind !== "signed_in") throw new Error(`It was ${signedIn.kind}.`);
  return signedIn.cookie;
}
