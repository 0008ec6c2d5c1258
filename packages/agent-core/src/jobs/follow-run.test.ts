import { expect, it } from "vitest";
import { isSilentReply } from "./follow-run.ts";

it.each(["HEARTBEAT_OK", "  HEARTBEAT_OK\n", "**HEARTBEAT_OK**.", "`HEARTBEAT_OK`", "“HEARTBEAT_OK!”"])(
  "VA-3 %j is told to nobody",
  (text) => expect(isSilentReply(text, "HEARTBEAT_OK")).toBe(true),
);

it.each(["", "HEARTBEAT_OK, but the door is open", "Not HEARTBEAT_OK", "heartbeat_ok", "HEARTBEAT_OK2", "OK"])(
  "VA-3 %j is told",
  (text) => expect(isSilentReply(text, "HEARTBEAT_OK")).toBe(false),
);
