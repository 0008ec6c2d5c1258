import { describe, expect, it } from "vitest";
import { isWordLike, keysAmong } from "./known-secrets.ts";

describe("keys among the variables", () => {
  it("are those whose names say so, used or not", () => {
    const keys = keysAmong({
      OPENAI_API_KEY: "sk-not-in-use",
      AWS_SECRET_ACCESS_KEY: "aws+secret/value",
      NVR_PASSWORD: "hunter2hunter2",
      GITHUB_TOKEN: undefined,
      SSH_KEY: "/home/ada/.ssh/id_ed25519",
      FEATURE_KEY: "on",
      PWD: "/home/ada",
      KEYBOARD: "english-uk",
    });
    expect(keys).toEqual(["sk-not-in-use", "aws+secret/value", "hunter2hunter2"]);
  });
});

describe("a secret that is a word", () => {
  it.each(["status", "person", "password", "camera_down", "front-door", "12345678", "hunter2", "Straßenlampe"])(
    "such as %s is not taken out of texts",
    (secret) => expect(isWordLike(secret)).toBe(true),
  );
  it.each(["hunter22", "correct horse battery staple", "sk-ant-1234", "p@ssword", "123456789012"])(
    "is not what %s is",
    (secret) => expect(isWordLike(secret)).toBe(false),
  );
});
