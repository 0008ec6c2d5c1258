import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { StoredObject } from "../blocks/effects.ts";
import { createObjectStore } from "./create-effects.ts";
import { createHttpSender } from "./guarded-fetch.ts";

const OBJECT: StoredObject = {
  bucket: "my-bucket",
  key: "logs/out put.csv",
  content: "a,b\n1,ä\n",
  contentType: "text/csv",
  credentials: { accessKeyId: "key-id", secretAccessKey: "secret-key" },
  region: "eu-west-1",
};

describe("object store", () => {
  it("puts a signed object", async () => {
    const { put, seen } = await store([[200, ""]]);
    await put(OBJECT);
    const [request] = seen;
    expect(request).toMatchObject({ method: "PUT", path: "/my-bucket/logs/out%20put.csv", body: OBJECT.content });
    expect(request?.headers["content-type"]).toBe("text/csv");
    const { authorization } = request!.headers;
    expect(authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=key-id\/\d{8}\/eu-west-1\/s3\/aws4_request,/);
    expect(authorization).toMatch(/SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$/);
    expect(JSON.stringify(request?.headers)).not.toContain("secret-key");
    const hash = request?.headers["x-amz-content-sha256"];
    expect([createHash("sha256").update(OBJECT.content).digest("hex"), "UNSIGNED-PAYLOAD"]).toContain(hash);
  });

  it("tries again while the service is busy", async () => {
    const { put, seen, pauses } = await store([
      [503, ""],
      [500, ""],
      [200, ""],
    ]);
    await put(OBJECT);
    expect(seen).toHaveLength(3);
    expect(pauses).toEqual([1000, 2000]);
  });

  it("does not try again when the service says no", async () => {
    const { put, seen } = await store([
      [403, "<Error><Code>AccessDenied</Code><Message>Access denied.</Message></Error>"],
    ]);
    await expect(put(OBJECT)).rejects.toThrow(
      "An error occurred (AccessDenied) when calling the PutObject operation: Access denied.",
    );
    expect(seen).toHaveLength(1);
  });
});

interface Seen {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function store(answers: readonly (readonly [status: number, body: string])[]) {
  const seen: Seen[] = [];
  const pauses: number[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url: path, headers } = request;
    seen.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
    const [status, body] = answers[seen.length - 1]!;
    response.writeHead(status).end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const pause = async (ms: number): Promise<void> => {
    pauses.push(ms);
  };
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { put: createObjectStore({ http: createHttpSender(), endpoint, pause }), seen, pauses };
}
