import { describe, expect, it } from "vitest";
import { PNG_1X1 } from "../testing.ts";
import { toPreview } from "./argument-preview.ts";

describe("the preview of a call", () => {
  it("is the whole of what is short", () => {
    expect(toPreview({ to: "ada", euros: 5 })).toBe('{"euros":5,"to":"ada"}');
  });

  it("shows every argument, however long another is, also inside of one", () => {
    const long = "x".repeat(700);
    expect(toPreview({ note: long, to: "EVIL" })).toMatch(/^\{"note":"x{200}… \(700 characters\)","to":"EVIL"\}$/);
    expect(toPreview({ mail: { body: long, to: "EVIL" } })).toContain('"to":"EVIL"');
  });

  it("names every argument where there are too many to show them whole", () => {
    const args = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`a${at}`, ["y".repeat(500), at]]));
    const preview = toPreview(args);
    for (const name of Object.keys(args)) expect(preview).toContain(`"${name}":`);
    expect(preview.length).toBeLessThan(10_000);
  });

  it("has no bytes of pictures", () => {
    const picture = `data:image/png;base64,${Buffer.from(PNG_1X1).toString("base64")}`;
    expect(toPreview({ picture, note: "x".repeat(700) })).toContain("<image image/png");
  });
});
