import { describe, expect, it } from "vitest";
import { keysAmong } from "./known-secrets.ts";

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
