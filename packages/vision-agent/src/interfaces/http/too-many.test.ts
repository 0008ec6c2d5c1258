import { afterEach, describe, expect, it } from "vitest";
import { AdmissionError, type CountedKind } from "../../access/admission.ts";
import { fakeParts } from "../../testing/fake-http-parts.ts";
import { createHttpServer } from "./create-http-server.ts";
import type { HttpServer } from "./http-parts.ts";

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

describe("a server that has no room for one more", () => {
  it.each([
    ["GET", "/api/cameras/street/live", "live view", undefined],
    ["GET", "/api/stream", "event stream", undefined],
    ["POST", "/api/artifacts", "upload", "image/png"],
    ["POST", "/api/artifacts", "upload", "multipart/form-data; boundary=x"],
  ] as const)("says so at once: %s %s", async (method, url, kind, type) => {
    const asked: CountedKind[] = [];
    const enter = (wanted: CountedKind): never => {
      asked.push(wanted);
      throw new AdmissionError("too_many", "There are too many already.");
    };
    const server = await createHttpServer({ ...fakeParts(), admission: { enter } });
    servers.push(server);
    const headers = { host: "127.0.0.1:4750", ...(type && { "content-type": type }) };
    const response = await server.inject({ method, url, headers, ...(type && { payload: "x" }) });
    expect([response.statusCode, response.json()]).toEqual([
      429,
      { error: { code: "too_many", message: "There are too many already." } },
    ]);
    expect(response.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
    expect(asked).toEqual([kind]);
  });

  it("has its place back when an upload is over, however it ended", async () => {
    const server = await createHttpServer(fakeParts());
    servers.push(server);
    const headers = { host: "127.0.0.1:4750", "content-type": "image/png" };
    for (let n = 0; n < 20; n += 1) {
      const { statusCode } = await server.inject({ method: "POST", url: "/api/artifacts", headers, payload: "x" });
      expect(statusCode).toBe(415);
    }
  });
});
