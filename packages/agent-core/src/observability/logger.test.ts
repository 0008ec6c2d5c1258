import { describe, expect, it } from "vitest";
import { createRedactingLogger, type Logger } from "./logger.ts";
import { createRedactor } from "./redact.ts";

describe("createRedactingLogger", () => {
  it("VI-13 lets no bytes and no secret through, at any level", () => {
    const lines: unknown[][] = [];
    const logger = createRedactingLogger(keepLines(lines), createRedactor({ secrets: ["sk-secret-key"] }));
    const fields = { headers: { authorization: "Bearer sk-secret-key" }, bytes: new Uint8Array(100) };
    for (const level of ["debug", "info", "warn", "error"] as const) logger[level]("sent sk-secret-key", fields);
    const redacted = {
      headers: { authorization: "Bearer <secret>" },
      bytes: "<image application/octet-stream 100 bytes>",
    };
    expect(lines).toEqual(["debug", "info", "warn", "error"].map((level) => [level, "sent <secret>", redacted]));
  });

  it("hands on a message without fields, and fields that are bytes themselves", () => {
    const lines: unknown[][] = [];
    const logger = createRedactingLogger(keepLines(lines), createRedactor());
    logger.info("begun");
    logger.info("got", new Uint8Array(3));
    expect(lines).toEqual([
      ["info", "begun"],
      ["info", "got", { fields: "<image application/octet-stream 3 bytes>" }],
    ]);
  });
});

function keepLines(lines: unknown[][]): Logger {
  const keep =
    (level: string) =>
    (...line: unknown[]): void => {
      lines.push([level, ...line]);
    };
  return { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") };
}
