import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { downloadFile, type FetchProgress } from "./download-file.ts";

const CONTENT = Buffer.from("weights ".repeat(1000));
const SHA256 = {
  algorithm: "sha256",
  encoding: "hex",
  value: createHash("sha256").update(CONTENT).digest("hex"),
} as const;

const folder = await mkdtemp(join(tmpdir(), "download-"));
const file = join(folder, "weights");
const part = join(folder, "weights.part");
let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let ranges: (string | undefined)[];

beforeEach(async () => {
  ranges = [];
  server = createServer((request, response) => {
    ranges.push(request.headers.range);
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await Promise.all([file, part].map((each) => rm(each, { force: true })));
});
afterAll(() => rm(folder, { recursive: true }));

describe("downloadFile", () => {
  it("fetches a file and tells how far it is", async () => {
    answer = serve;
    const reports: FetchProgress[] = [];
    await download({ onProgress: (progress) => reports.push(progress) });
    expect(await readFile(file)).toEqual(CONTENT);
    expect(reports.at(-2)).toEqual({ phase: "fetching", name: "The weights", bytesDone: 8000, bytesTotal: 8000 });
    expect(reports.at(-1)?.phase).toBe("checking");
  });

  it("goes on where an earlier try broke off", async () => {
    await writeFile(part, CONTENT.subarray(0, 5000));
    answer = serve;
    const reports: FetchProgress[] = [];
    await download({ onProgress: (progress) => reports.push(progress) });
    expect(ranges).toEqual(["bytes=5000-"]);
    expect(reports[0]).toMatchObject({ bytesTotal: 8000 });
    expect(await readFile(file)).toEqual(CONTENT);
  });

  it("takes a broken line up again by itself", async () => {
    answer = (request, response) => {
      if (ranges.length > 1) return serve(request, response);
      response.writeHead(200, { "content-length": CONTENT.length });
      response.write(CONTENT.subarray(0, 3000));
      void until(async () => (await stat(part)).size === 3000).then(() => response.destroy());
    };
    await download();
    expect(ranges).toEqual([undefined, "bytes=3000-"]);
    expect(await readFile(file)).toEqual(CONTENT);
  });

  it("begins anew where the server does not continue", async () => {
    await writeFile(part, "something else");
    answer = (_request, response) => void response.end(CONTENT);
    await download();
    expect(await readFile(file)).toEqual(CONTENT);
  });

  it("begins anew when the file has changed since the first part", async () => {
    await writeFile(part, "x".repeat(5000));
    answer = serve;
    await download();
    expect(ranges).toEqual(["bytes=5000-", undefined]);
    expect(await readFile(file)).toEqual(CONTENT);
  });

  it("knows a part that was whole already", async () => {
    await writeFile(part, CONTENT);
    answer = serve;
    await download();
    expect(await readFile(file)).toEqual(CONTENT);
  });

  it("refuses another file than the one expected, and keeps nothing of it", async () => {
    answer = (_request, response) => void response.end("<html>sign in</html>");
    await expect(download()).rejects.toThrow(/^What was fetched as The weights is not the file that was expected/);
    await expect(readFile(part)).rejects.toThrow("ENOENT");
    await expect(readFile(file)).rejects.toThrow("ENOENT");
  });

  it("says what an answer means", async () => {
    for (const [status, words] of [
      [401, "Check the API key."],
      [404, "It does not exist there"],
      [503, "try again later"],
    ] as const) {
      answer = (_request, response) => void response.writeHead(status).end();
      const failure = await download().catch((error: Error) => error);
      expect(failure).toMatchObject({ kind: "model", message: expect.stringContaining(words) });
    }
  });

  it("says when nobody answers, and keeps what it has", async () => {
    await writeFile(part, CONTENT.subarray(0, 100));
    const url = address();
    await new Promise((done) => server.close(done));
    await expect(download({ url })).rejects.toThrow(/the server is not reached.*continues where it broke off/);
    expect((await readFile(part)).length).toBe(100);
  });

  it("stops when told to", async () => {
    const stop = new AbortController();
    answer = (_request, response) => {
      response.write(CONTENT.subarray(0, 100), () => stop.abort());
    };
    await expect(download({ signal: stop.signal })).rejects.toThrow(/abort/i);
  });
});

function download(options: Partial<Parameters<typeof downloadFile>[0]> = {}): Promise<void> {
  const { url = address() } = options;
  return downloadFile({ fetch, name: "The weights", file, part, checksum: SHA256, ...options, url });
}

/** Looks until it is so. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo().catch(() => false))) await new Promise((done) => setTimeout(done, 2));
}

function address(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/weights`;
}

/** A server that continues files, as most do. */
function serve({ headers }: IncomingMessage, response: ServerResponse): void {
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
  if (from >= CONTENT.length)
    return void response.writeHead(416, { "content-range": `bytes */${CONTENT.length}` }).end();
  response.writeHead(from > 0 ? 206 : 200, { "content-length": CONTENT.length - from }).end(CONTENT.subarray(from));
}
