import { describe, expect, it } from "vitest";
import { createSecretFilter } from "./secret-filter.ts";

const KEY = "abcDEF+123/xyz+9==";
const ODD = "p&ss<w>o'r\"d/ä~*1";

describe("the ways in which a secret is written", () => {
  it.each<[string, string, string]>([
    ["Go in JSON", "p&ss<w>ord1", "p\\u0026ss\\u003cw\\u003eord1"],
    [".NET in JSON", KEY, "abcDEF\\u002B123/xyz\\u002B9=="],
    [".NET in JSON, with quotes", ODD, "p\\u0026ss\\u003Cw\\u003Eo\\u0027r\\u0022d/\\u00E4~*1"],
    ["Gson in JSON", KEY, "abcDEF+123/xyz+9\\u003d\\u003d"],
    ["Jackson in JSON, as ASCII", "pässwörd9", "p\\u00E4ssw\\u00F6rd9"],
    ["Python in JSON", "pässwörd9", "p\\u00e4ssw\\u00f6rd9"],
    ["PHP in JSON inside JSON", 'pa/ss"wd', 'pa\\\\\\/ss\\\\\\"wd'],
    ["JSON with \\/ inside JSON", 'pa/ss"wd', 'pa\\\\/ss\\\\\\"wd'],
    ["ASCII JSON with \\/ inside JSON", 'pä/ss"wd', 'p\\\\u00e4\\\\/ss\\\\\\"wd'],
    ["JSON three times", 'p"ss\\wo\nrd', quoted(quoted(quoted('p"ss\\wo\nrd')))],
    ["Python in a URL", KEY, "abcDEF%2B123/xyz%2B9%3D%3D"],
    ["Python in a URL, with other signs", "p!ss*w(o)rd&1", "p%21ss%2Aw%28o%29rd%261"],
    ["curl in a form", "ab~cd&ef!gh", "ab~cd%26ef%21gh"],
    ["PHP in a form", "ab~cd ef!gh", "ab%7Ecd+ef%21gh"],
    ["Go in a path", "a$b&c+d=e:f@g/h", "a$b&c+d=e:f@g%2Fh"],
    ["a URL in JSON with \\/", KEY, "abcDEF%2B123\\/xyz%2B9%3D%3D"],
    ["a URL's password", "p@ss:w|rd/1^", asPassword("p@ss:w|rd/1^")],
    ["a URL's path", 'p ss;w"rd=1^', asPath('p ss;w"rd=1^')],
    ["a JSON pointer", "ab/cd~ef", "ab~1cd~0ef"],
  ])("has that of %s", (_, secret, written) => {
    const { text, pieces } = createSecretFilter([secret]);
    expect(written).not.toBe(secret);
    expect(text(`got ${written} end`)).toBe("got <secret> end");
    const { take, rest } = pieces();
    expect([...`got ${written}`].map(take).join("") + rest()).toBe("got <secret>");
  });
});

it("finds of very many secrets the usual forms alone", () => {
  const many = Array.from({ length: 3_000 }, (_, at) => `s&cr/t"ü+${at}-*=`);
  const { text } = createSecretFilter(many);
  const last = many.at(-1) ?? "";
  const written = [last, quoted(last), encodeURIComponent(last)];
  expect(text(written.join(" "))).toBe("<secret> <secret> <secret>");
  expect(text(quoted(many[0] ?? "").replace("&", "\\u0026"))).toBe("<secret>");
});

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function asPassword(secret: string): string {
  const url = new URL("http://h");
  url.username = "u";
  url.password = secret;
  return url.password;
}

function asPath(secret: string): string {
  const url = new URL("http://h");
  url.pathname = secret;
  return url.pathname.slice(1);
}
