import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSecretFilter } from "./secret-filter.ts";

const SECRETS = ["sk-ant-secret", "sk-ant-secret-longer", 'pass"word/1', "ssssssx"];

describe("createSecretFilter", () => {
  it("VI-13 takes out secrets and leaves bytes alone", () => {
    const url = `data:image/png;base64,${"QUJD".repeat(40)}`;
    expect(createSecretFilter(SECRETS).text(`${url} sk-ant-secret`)).toBe(`${url} <secret>`);
  });

  it("VI-13 keeps the shape of a record and what only its provider understands", () => {
    const { record } = createSecretFilter(SECRETS);
    const opaque = { provider: "p", data: "sk-ant-secret" };
    expect(record({ call: { arguments: { text: "it is sk-ant-secret." } }, type: "reasoning", opaque })).toEqual({
      call: { arguments: { text: "it is <secret>." } },
      type: "reasoning",
      opaque,
    });
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
