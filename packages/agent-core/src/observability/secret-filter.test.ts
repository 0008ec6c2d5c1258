import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSecretFilter } from "./secret-filter.ts";

const SECRETS = ["sk-ant-secret", "sk-ant-secret-longer", 'pass"word/1', "ssssssx"];

const ODD = 'pa"ss\\wo/rd!(é) +';

describe("createSecretFilter", () => {
  it("makes nothing shorter of a secret that a URL would strip", () => {
    const filter = createSecretFilter(["\n\n\n\n\n\n", "a\n\n\n\n\nb", "   ab   "]);
    expect(filter.text("ab is a\nword")).toBe("ab is a\nword");
  });

  it.each<[string, string]>([
    ["JSON inside JSON", JSON.stringify(JSON.stringify(ODD)).slice(3, -3)],
    ["JSON of other languages", 'pa\\"ss\\\\wo/rd!(\\u00e9) +'],
    ["JSON with escaped slashes", 'pa\\"ss\\\\wo\\/rd!(é) +'],
    ["a form", new URLSearchParams({ k: ODD }).toString().slice(2)],
    ["a URL with small letters", encodeURIComponent(ODD).replace(/%../g, (code) => code.toLowerCase())],
    ["the address of a URL", new URL(`http://h/?k=${encodeURI(ODD)}`).href.slice("http://h/?k=".length)],
  ])("finds a secret as %s writes it", (_, written) => {
    expect(written).not.toBe(ODD);
    expect(createSecretFilter([ODD]).text(`<${written}>`)).toBe("<<secret>>");
  });

  it("VI-13 takes out secrets and leaves bytes alone", () => {
    const url = `data:image/png;base64,${"QUJD".repeat(40)}`;
    expect(createSecretFilter(SECRETS).text(`${url} sk-ant-secret`)).toBe(`${url} <secret>`);
  });

  it("goes on with what it knows when the host cannot tell its secrets", () => {
    const answers = [["first-secret"]];
    const { text } = createSecretFilter(() => {
      const known = answers.pop();
      if (known) return known;
      throw new Error("the vault is closed");
    });
    expect([text("first-secret"), text("first-secret")]).toEqual(["<secret>", "<secret>"]);
  });

  it("leaves its own marks alone, whatever the secrets are", () => {
    const { text } = createSecretFilter(["secret", "cret:0123"]);
    const once = text("a secret and <secret:0123456789ab>, cret:0123");
    expect(once).toBe("a <secret> and <secret:0123456789ab>, <secret>");
    expect(text(once)).toBe(once);
  });

  it("takes secrets that no pattern could hold, thousands of them, in a large text", () => {
    const odd = ["(".repeat(40_000), "a".repeat(1_000_000), "[^\\", "\ud800-lone", "$&$1$`"];
    const many = Array.from({ length: 5_000 }, (_, at) => `secret-number-${at}-`);
    const filter = createSecretFilter([...odd, ...many]);
    const large = `${"words and words ".repeat(60_000)}secret-number-4999-`;
    expect(filter.text(large)).toBe(large.replace("secret-number-4999-", "<secret>"));
    expect(filter.text(`${"(".repeat(40_000)} ${"a".repeat(1_000_001)}`)).toBe("<secret> <secret>a");
    expect(filter.text("[^\\ $&$1$`")).toBe("[^\\ <secret>");
    const pieces = filter.pieces();
    expect(pieces.take("a".repeat(999_999)) + pieces.take("a") + pieces.rest()).toBe("<secret>");
  });

  it("takes hundreds of secrets that are beginnings of one another, in a text made of them", () => {
    const nested = Array.from({ length: 500 }, (_, at) => "a".repeat(500 + at));
    const filter = createSecretFilter([...nested, `${"a".repeat(999)}b`]);
    expect(filter.text("a".repeat(999 * 300))).toBe("<secret>".repeat(300));
    const pieces = filter.pieces();
    const shown = Array.from({ length: 999 * 3 }, () => pieces.take("a")).join("");
    expect(shown + pieces.rest()).toBe("<secret>".repeat(3));
    expect(filter.text("<secret>".repeat(20_000))).toBe("<secret>".repeat(20_000));
  });

  it("reads again what waits when there is a new secret", () => {
    const known = ["first-secret"];
    const pieces = createSecretFilter(() => known).pieces();
    expect(pieces.take("a fir")).toBe("a ");
    known.push("first-aid-kit");
    expect(pieces.take("st-aid")).toBe("");
    expect(pieces.take("-kit first")).toBe("<secret> ");
  });

  it("VI-13 shows of a text in pieces what it shows of the whole, wherever it is cut", () => {
    const words = fc.constantFrom(...SECRETS, "sk-ant", "-longer", "s", "ss", " and ", "pass%22word", "<");
    fc.assert(
      fc.property(fc.array(words, { maxLength: 8 }), fc.array(fc.nat(9), { minLength: 1 }), (given, sizes) => {
        const filter = createSecretFilter(SECRETS);
        const text = given.join("");
        const pieces = filter.pieces();
        let [shown, at] = ["", 0];
        for (let turn = 0; at < text.length; turn += 1) {
          const size = 1 + (sizes[turn % sizes.length] ?? 0);
          shown += pieces.take(text.slice(at, at + size));
          at += size;
        }
        expect(shown + pieces.rest()).toBe(filter.text(text));
      }),
    );
  });

  it("holds back no more than the beginning of a secret", () => {
    const pieces = createSecretFilter(SECRETS).pieces();
    expect(pieces.take("The key is sk-")).toBe("The key is ");
    expect(pieces.take("ip it.")).toBe("sk-ip it.");
    expect(pieces.take("sk-ant-se")).toBe("");
    expect(pieces.take("cret.")).toBe("<secret>.");
    expect(pieces.take("pass")).toBe("");
    expect(pieces.rest()).toBe("pass");
  });
});
