import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSecretTokens, NO_SECRETS, type SecretTokens } from "./secret-tokens.ts";

const SECRETS = ["sk-ant-secret", "sk-ant-secret-longer", 'pass"word/1', "secret"];

describe("createSecretTokens", () => {
  it("VI-13 hides every secret in any JSON and puts back exactly what was there", async () => {
    const tokens = await open(SECRETS);
    const piece = fc.oneof(
      fc.constantFrom(...SECRETS, ...SECRETS.map(encodeURIComponent), ...SECRETS.map((one) => JSON.stringify(one))),
      fc.string({ maxLength: 10 }),
      fc.constantFrom("<secret>", "<secret:000000000000>", "<", "sk-ant-"),
    );
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
    // Keys of letters alone are names of fields.
    const key = text.map((name) => (/^[A-Za-z_]+$/.test(name) ? "name" : name));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(text, fc.integer(), fc.constant(null), fc.array(tie("tree")), fc.dictionary(key, tie("tree"))),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const hidden = tokens.hide(value);
        const written = JSON.stringify(hidden).replace(/<secret(:[0-9a-f]{12})?>/g, "");
        for (const secret of SECRETS) expect(written).not.toContain(secret);
        expect(tokens.reveal(hidden)).toEqual(value);
        expect(tokens.hide(hidden)).toEqual(hidden);
      }),
    );
  });

  it("gives the same token in every process with the same key, and another with another", async () => {
    const [one, same] = [await open(SECRETS), await open([...SECRETS].reverse())];
    const other = createSecretTokens({ secrets: SECRETS, key: async () => Buffer.alloc(32, 2) });
    await other.open();
    const token = one.hide("sk-ant-secret");
    expect(token).toMatch(/^<secret:[0-9a-f]{12}>$/);
    expect(same.reveal(token)).toBe("sk-ant-secret");
    expect(other.hide("sk-ant-secret")).not.toBe(token);
    expect(other.reveal(token)).toBe(token);
  });

  it("leaves the names of fields alone, and looks into what writes itself, maps and sets", async () => {
    const tokens = await open(["secret", "sk-ant-1"]);
    const token = tokens.hide("sk-ant-1");
    expect(tokens.hide({ secret: 1, "sk-ant-1": 2 })).toEqual({ secret: 1, [token]: 2 });
    const value = {
      map: new Map([["a", "sk-ant-1"]]),
      set: new Set(["sk-ant-1"]),
      own: { toJSON: () => ["sk-ant-1"] },
    };
    expect(tokens.hide(value)).toEqual({ map: { a: token }, set: [token], own: [token] });
  });

  it("tells a token of a secret that is no longer known", async () => {
    const [before, after] = [await open(["sk-ant-old"]), await open(["sk-ant-new"])];
    const [old, current] = [before.hide("sk-ant-old"), after.hide("sk-ant-new")];
    expect(after.lostToken({ deep: [`${current} and ${old}`] })).toBe(old);
    expect(after.lostToken({ deep: [current, "<secret>"] })).toBeUndefined();
    expect(NO_SECRETS.lostToken([old])).toBe(old);
  });

  it("gives back the very value where there is nothing to hide", async () => {
    const tokens = await open(SECRETS);
    const value = { at: new Date(0), bytes: new Uint8Array(9), none: undefined, list: [1, "two"] };
    expect(tokens.hide(value)).toBe(value);
  });

  it("hides for good what comes before there is a key", () => {
    const tokens = createSecretTokens({ secrets: SECRETS, key: async () => Buffer.alloc(32) });
    expect(tokens.hide(["sk-ant-secret"])).toEqual(["<secret>"]);
  });

  it("hides a secret that is split between two pieces", async () => {
    const tokens = await open(SECRETS);
    const pieces = tokens.pieces();
    const shown = ["It is sk-a", "nt-sec", "ret", "."].map((piece) => pieces.take(piece));
    expect(shown.join("") + pieces.rest()).toBe(tokens.hide("It is sk-ant-secret."));
  });
});

async function open(secrets: readonly string[]): Promise<SecretTokens> {
  const tokens = createSecretTokens({ secrets, key: async () => Buffer.alloc(32, 1) });
  await tokens.open();
  return tokens;
}
