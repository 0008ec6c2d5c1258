import { describe, expect, it } from "vitest";
import { errorCode, redact, redactCause } from "./redact.ts";

describe("redact", () => {
  it.each([
    ["GET /model/registry?api_key=abc123&x=1", "GET /model/registry?api_key=***&x=1"],
    ['{"api_key": "abc123", "model_id": "coco/3"}', '{"api_key": ***, "model_id": "coco/3"}'],
    ["{'api_key': 'abc123'}", "{'api_key': ***}"],
    ["authorization: Bearer abc.def-123", "authorization: Bearer ***"],
    ["Cannot open rtsp://admin:pa@ss@10.0.0.2:554/s1", "Cannot open rtsp://***@10.0.0.2:554/s1"],
    ["http://user:secret@proxy/x and https://tok@host/y", "http://***@proxy/x and https://***@host/y"],
    ["service_secret=xyz;", "service_secret=***;"],
  ])("takes the secret out of %s", (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  it("takes out a known secret wherever it stands, also percent-encoded", () => {
    expect(redact("key k+1/2 and k%2B1%2F2 said", ["k+1/2"])).toBe("key *** and *** said");
  });

  it("leaves out pictures, echoed inputs and tracebacks", () => {
    const picture = `value ${"/9j/4AAQ".repeat(40)}== end`;
    expect(redact(picture)).toBe("value [data left out] end");
    const echoed = "Field required [type=missing, input_value={'image': 'abc', 'k': [1]}, input_type=dict]";
    expect(redact(echoed)).toBe("Field required [type=missing, input_type=dict]");
    expect(redact('It failed.\nTraceback (most recent call last):\n  File "/srv/x.py"')).toBe("It failed.");
  });

  it("keeps ordinary words and cuts what nobody reads", () => {
    const words = "Could not load input image. Cause: Empty image payload.";
    expect(redact(words)).toBe(words);
    expect(redact("word ".repeat(10_000)).length).toBeLessThan(2_100);
  });
});

describe("redactCause", () => {
  it("keeps words and code of an error but none of the bytes that hang on it", () => {
    const error = Object.assign(new Error("Parse Error at api_key=abc"), {
      code: "HPE_INVALID_CONSTANT",
      rawPacket: Buffer.from("secret"),
    });
    const cause = redactCause(error);
    expect(cause.message).toBe("Parse Error at api_key=***");
    expect(errorCode(cause)).toBe("HPE_INVALID_CONSTANT");
    expect(cause).not.toHaveProperty("rawPacket");
    expect(redactCause("plain").message).toBe("plain");
  });
});
