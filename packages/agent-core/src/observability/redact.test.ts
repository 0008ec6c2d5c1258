import { describe, expect, it } from "vitest";
import { AgentError } from "../types/errors.ts";
import type { Message } from "../types/message.ts";
import { createRedactor, imagePlaceholder } from "./redact.ts";

const redactor = createRedactor({ secrets: ["sk-ant-very-secret", "abc", 'pass"word\\1'] });
const BYTES = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 37 + 11) % 256));
const PICTURE = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), BYTES]);

describe("createRedactor", () => {
  it("VI-13 VI-21.2 writes a placeholder where bytes were", () => {
    expect(imagePlaceholder("image/png", 12345)).toBe("<image image/png 12345 bytes>");
    const source = { type: "base64", media_type: "image/png", data: Buffer.alloc(300, 7).toString("base64") };
    expect(redactor.value({ content: [{ type: "image", source }] })).toEqual({
      content: [{ type: "image", source: "<image image/png 300 bytes>" }],
    });
    const five = "<image application/octet-stream 5 bytes>";
    const held = { view: new Uint8Array(5), buffer: new ArrayBuffer(5), json: Buffer.alloc(5).toJSON() };
    expect(redactor.value(held)).toEqual({ view: five, buffer: five, json: five });
  });

  it("VI-13 strips the bytes of data URLs inside text", () => {
    const url = `data:image/jpeg;base64,${Buffer.alloc(90, 1).toString("base64")}`;
    expect(redactor.text(`see ${url} here`)).toBe("see <image image/jpeg 90 bytes> here");
    const named = `data:image/png;name=a.png;base64,${Buffer.alloc(9, 1).toString("base64")}`;
    expect(redactor.text(named)).toBe("<image image/png 9 bytes>");
  });

  it("VI-13 complaint 23: strips a picture that a tool flattened to base64 text, wherever it stands", () => {
    const data = PICTURE.toString("base64");
    expect(redactor.text(`{"image":"${data}"}`)).toBe('{"image":"<image image/png 308 bytes>"}');
    expect(redactor.text(data.slice(40, 240))).toBe("<base64 150 bytes>");
    expect(redactor.text(BYTES.toString("base64url"))).not.toMatch(/[A-Za-z0-9_-]{64}/);
    expect(redactor.text(data.replace(/.{76}/g, "$&\r\n"))).not.toMatch(/[A-Za-z0-9+/]{64}/);
  });

  it("VI-13 learns secrets while it is in use, and forgets none", () => {
    const known = ["first-secret"];
    const { text } = createRedactor({ secrets: () => known });
    expect(text("first-secret second-secret")).toBe("<secret> second-secret");
    known[0] = "second-secret";
    expect(text("first-secret second-secret")).toBe("<secret> <secret>");
  });

  it("asks for the secrets once for one value, however many texts it holds", () => {
    let asked = 0;
    const many = createRedactor({
      secrets: () => {
        asked += 1;
        return ["some-secret"];
      },
    });
    many.display(Array.from({ length: 100 }, () => "some-secret"));
    many.value({ list: ["a", "b"] });
    expect(asked).toBe(2);
  });

  it("leaves words, digests, ids and long names as they are", () => {
    const kept = [
      "a".repeat(63),
      `sha256 ${"0123456789abcdef".repeat(4)}`,
      `art_${"0123456789abcdef".repeat(2)}`,
      `mcp_server_with_a_very_long_name__and_a_tool_with_a_name_longer_than_that`,
      "-".repeat(80),
    ];
    for (const text of kept) expect(redactor.text(text)).toBe(text);
  });

  it("leaves long paths as they are", () => {
    const path = "/home/Ada/projects/Vision2/packages/engine/src/blocks/manifests/of/all/kinds/and/more/of/them";
    expect(redactor.text(path)).toBe(path);
  });

  it("VI-13 shows a person base64 that may be a key, and no picture", () => {
    const data = BYTES.toString("base64");
    expect(redactor.display({ text: data })).toEqual({ text: data });
    const picture = PICTURE.toString("base64");
    expect(redactor.display(`{"image":"${picture}"}`)).toBe('{"image":"<image image/png 308 bytes>"}');
    expect(redactor.display(picture.replace(/.{76}/g, "$&\r\n"))).toBe("<image image/png 308 bytes>");
    expect(redactor.display(JSON.stringify(picture.replace(/.{76}/g, "$&\n")))).toBe('"<image image/png 308 bytes>"');
    const jpeg = `/9j/${data}`;
    expect(redactor.display([`data:x-type/y;base64,${data} ${jpeg} sk-ant-very-secret`])).toEqual([
      `<image x-type/y 300 bytes> <image image/jpeg 303 bytes> <secret>`,
    ]);
  });

  it("strips configured secrets everywhere, errors and keys included", () => {
    const leak = { "sk-ant-very-secret": new Error("401 for sk-ant-very-secret") };
    expect(JSON.stringify(redactor.value(leak))).not.toContain("very-secret");
  });

  it("changes the values of fields and never their names", () => {
    const { display, value } = createRedactor({ secrets: ["status", "person"] });
    const answer = { status: "ok", person: { "person 1": "a person" } };
    const shown = { status: "ok", person: { "<secret> 1": "a <secret>" } };
    expect([display(answer), value(answer)]).toEqual([shown, shown]);
  });

  it("tells nothing where a text cannot be looked through", () => {
    const { text, display } = createRedactor({
      alsoHide: (one) => {
        if (one.includes("sk-ant")) throw new Error(one);
        return one;
      },
    });
    expect(text("sk-ant-unknown")).toBe("<unreadable>");
    expect(display(["well", "sk-ant-unknown"])).toEqual(["well", "<unreadable>"]);
  });

  it("strips a secret as JSON and as a URL write it", () => {
    const written = [JSON.stringify({ p: 'pass"word\\1' }), `?p=${encodeURIComponent('pass"word\\1')}`];
    expect(written.map(redactor.text)).toEqual(['{"p":"<secret>"}', "?p=<secret>"]);
  });

  it("leaves no end of a secret that begins like another", () => {
    const both = createRedactor({ secrets: ["sk-ant-1", "sk-ant-1-longer"] });
    expect(both.text("sk-ant-1-longer sk-ant-1")).toBe("<secret> <secret>");
  });

  it("ignores secrets that are too short to be any", () => {
    expect(redactor.text("abcdef")).toBe("abcdef");
  });

  it("tells what an error says, and what caused it", () => {
    const cause = new AgentError({
      kind: "network",
      code: "reset",
      message: "sk-ant-very-secret was cut",
      status: 500,
    });
    expect(redactor.value(new Error("The run failed.", { cause }))).toEqual({
      name: "Error",
      message: "The run failed.",
      cause: { name: "AgentError", message: "<secret> was cut", kind: "network", code: "reset", status: 500 },
    });
  });

  it("reads dates, maps, sets and what knows its own JSON", () => {
    const value = { at: new Date(0), map: new Map([["k", 1]]), set: new Set([2]), url: new URL("http://host/x") };
    expect(redactor.value(value)).toEqual({
      at: "1970-01-01T00:00:00.000Z",
      map: [["k", 1]],
      set: [2],
      url: "http://host/x",
    });
  });

  it("survives cycles, functions and numbers that JSON does not know", () => {
    const cycle: Record<string, unknown> = { n: Number.NaN, f: () => 1, big: 1n, twice: [] };
    cycle.self = cycle;
    cycle.twice = [cycle.twice, cycle.twice];
    expect(redactor.value(cycle)).toEqual({ n: null, big: null, self: null, twice: [[], []] });
  });

  it("survives getters, proxies and toJSON that throw", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const throws = (): never => {
      throw new Error("sk-ant-very-secret");
    };
    const trap = new Proxy({}, { ownKeys: throws });
    const value = { a: 1, proxy, trap, json: { toJSON: throws } };
    Object.defineProperty(value, "got", { get: throws, enumerable: true });
    const unreadable = "<unreadable>";
    expect(redactor.value(value)).toEqual({
      a: 1,
      proxy: unreadable,
      trap: unreadable,
      json: unreadable,
      got: unreadable,
    });
  });

  it("keeps a key called __proto__ as data", () => {
    const copy = redactor.value(JSON.parse('{"__proto__":{"x":1}}'));
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"x":1}}');
  });

  it("cuts what is too deep, too long or too much, and says so", () => {
    let deep: unknown = 1;
    for (let at = 0; at < 100_000; at++) deep = [deep];
    expect(JSON.stringify(redactor.value(deep))).toContain("<too deep>");
    expect(JSON.stringify(redactor.display(deep))).toContain("<too deep>");
    const small = createRedactor({ limits: { items: 2, chars: 10, values: 4 } });
    expect(small.value([1, 2, 3, 4])).toEqual([1, 2, "<2 more>"]);
    expect(small.value({ a: 1, b: 2, c: 3 })).toEqual({ a: 1, b: 2, "…": "<1 more>" });
    expect(small.value("x".repeat(30))).toBe("xxxxxxxxxx<20 more characters>");
    expect(
      JSON.stringify(
        small.value([
          [[], []],
          [[], []],
        ]),
      ),
    ).toContain("<too much>");
  });

  it("reads no more of a large input than it may tell", () => {
    let reads = 0;
    const item = {
      get text(): string {
        reads += 1;
        return "some words";
      },
    };
    const rows = Array.from({ length: 200 }, () => Array.from({ length: 5_000 }, () => item));
    redactor.value({ rows });
    expect(reads).toBeLessThanOrEqual(20_000);
  });

  it("keeps the shape and the signed parts of what is shown", () => {
    const signature = BYTES.toString("base64");
    const opaque = { provider: "anthropic", model: "m", data: { type: "thinking", signature } };
    const message: Message = {
      id: "m1",
      role: "assistant",
      origin: "model",
      ts: "2026-01-01T00:00:00.000Z",
      parts: [
        { type: "reasoning", text: "Hm", opaque },
        { type: "text", text: `word ${"x ".repeat(50_000)}sk-ant-very-secret` },
        { type: "image", artifactId: "art_1", mimeType: "image/png" },
      ],
    };
    const record = redactor.display(message);
    expect(record.parts[0]).toEqual(message.parts[0]);
    expect(record.parts[2]).toEqual(message.parts[2]);
    expect(record.parts[1]).toEqual({ type: "text", text: `word ${"x ".repeat(50_000)}<secret>` });
    expect(JSON.stringify(redactor.value(message))).not.toContain(signature.slice(0, 64));
    const leaking = redactor.display({ type: "provider", opaque: { data: "sk-ant-very-secret" } });
    expect(leaking).toEqual({ type: "provider", opaque: { data: "<secret>" } });
    const forged = redactor.display({ type: "signal", data: { opaque: { data: PICTURE.toString("base64") } } });
    expect(JSON.stringify(forged)).not.toContain(PICTURE.toString("base64").slice(0, 64));
  });
});
