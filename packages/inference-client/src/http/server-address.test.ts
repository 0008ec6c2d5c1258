import { describe, expect, it } from "vitest";
import { parseServerAddress } from "./server-address.ts";

describe("parseServerAddress", () => {
  it("keeps password and key out of what is shown", () => {
    expect(parseServerAddress("http://me:p%40ss@10.0.0.2:9001/vision/?api_key=abc#x")).toEqual({
      url: "http://10.0.0.2:9001/vision",
      isHttps: false,
      credentials: "me:p@ss",
      apiKey: "abc",
      isHosted: false,
    });
  });

  it.each([
    ["https://serverless.roboflow.com", true],
    ["https://serverless.roboflow.eu/", true],
    ["https://detect.roboflow.com", true],
    ["https://outline.roboflow.com", true],
    ["https://classify.roboflow.com", true],
    ["https://my-own.roboflow.cloud", false],
    ["https://detect.roboflow.com.example.org", false],
    ["http://127.0.0.1:9001", false],
  ])("%s is hosted: %s", (url, isHosted) => {
    expect(parseServerAddress(url).isHosted).toBe(isHosted);
  });

  it("refuses what is no http address without repeating it", () => {
    for (const text of ["10.0.0.2:9001", "rtsp://u:p@cam/1", ""]) {
      expect(() => parseServerAddress(text)).toThrow(
        expect.objectContaining({ kind: "invalid", message: expect.not.stringContaining("u:p") }),
      );
    }
  });
});
