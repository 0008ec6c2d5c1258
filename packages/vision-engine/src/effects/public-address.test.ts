import { describe, expect, it } from "vitest";
import { isPublicAddress } from "./guarded-fetch.ts";

describe("isPublicAddress", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.52",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:10.0.0.1",
    "::ffff:8.8.8.8",
    "fe80::1",
    "fd00::1",
    "2002:7f00:1::",
    "64:ff9b::7f00:1",
    "localhost",
    "",
  ])("refuses %s", (address) => expect(isPublicAddress(address)).toBe(false));

  it.each(["8.8.8.8", "172.32.0.1", "2606:4700::1111"])("takes %s", (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );
});
