import type { Identity } from "../access/identity.ts";
import type { Access } from "../access/open-access.ts";

const OWNER_HERE: Identity = { name: "local", role: "owner", cameras: null, ended: new AbortController().signal };

/** Takes everybody for the owner: for tests of what lies behind the login. */
export function fakeAccess(): Access {
  const refuse = async (): Promise<never> => {
    throw new Error("This access knows no accounts; open a real one.");
  };
  return {
    token: "fake-token",
    identify: () => OWNER_HERE,
    accounts: { list: () => [], find: () => undefined, add: refuse, change: refuse, remove: refuse },
    logins: { list: () => [], end: async () => 0 },
    audit: { record: () => undefined, list: () => [] },
    createCode: () => ({ code: "fake-code", expiresAt: new Date(0).toISOString() }),
    signIn: async () => ({ kind: "refused" }),
    signInWithLink: async () => ({ kind: "refused" }),
  };
}
