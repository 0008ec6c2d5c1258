import { describe, expect, it } from "vitest";
import { withMentions } from "./mentions.ts";

describe("withMentions", () => {
  it("adds what the sentence is about", () => {
    const mentions = [
      { key: "1", words: "camera street" },
      { key: "2", words: "person #3 on camera street" },
    ];
    expect(withMentions("Who is that?", mentions)).toBe(
      "Who is that? (about camera street; person #3 on camera street)",
    );
    expect(withMentions("Who is that?", [])).toBe("Who is that?");
  });
});
