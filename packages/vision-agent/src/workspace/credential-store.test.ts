import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { openCredentialStore } from "./credential-store.ts";
import { nodeFiles } from "./node-files.ts";

const PATH = "/w/credentials.json";
const TYPED = "Use 'x' on rtsp://admin:hunter22@192.168.1.52/stream1, then http://cam/v?key=k3y-1234.";
const SHOWN = "Use 'x' on rtsp://192.168.1.52/stream1, then http://cam/v?key=***.";

async function open(files = createMemoryFiles()) {
  const notices: string[] = [];
  const store = await openCredentialStore({ files, path: PATH, onNotice: (message) => notices.push(message) });
  return { ...store, files, notices };
}

describe("the credential store", () => {
  it("shows a text without them and completes the shown addresses, also after a restart", async () => {
    const first = await open();
    expect(await first.take(TYPED)).toBe(SHOWN);
    const second = await open(first.files);
    for (const { complete, secrets } of [first, second]) {
      expect(complete("rtsp://192.168.1.52/stream1")).toBe("rtsp://admin:hunter22@192.168.1.52/stream1");
      expect(complete("http://cam/v?key=***")).toBe("http://cam/v?key=k3y-1234");
      expect(complete("rtsp://192.168.1.52/stream2")).toBe("rtsp://192.168.1.52/stream2");
      expect(secrets()).toEqual(["hunter22", "k3y-1234"]);
    }
    expect([...first.notices, ...second.notices]).toEqual([]);
  });

  it("takes them out of JSON, and leaves bytes alone", async () => {
    const { take, complete } = await open();
    const body = { sources: ["rtsp://u:pass!@h/1"], spec: { steps: [{ url: "http://h/?token=t", size: 3 }] } };
    const shown = await take(body);
    expect(shown).toEqual({ sources: ["rtsp://h/1"], spec: { steps: [{ url: "http://h/?token=***", size: 3 }] } });
    expect(complete("rtsp://h/1")).toBe("rtsp://u:pass!@h/1");
    const bytes = Buffer.from("rtsp://u:p@h/1");
    expect(await take(bytes)).toBe(bytes);
  });

  it("keeps the last password of an address and writes only what is new", async () => {
    const { take, complete, files } = await open();
    await take("rtsp://u:old@h/1");
    await take("rtsp://u:new@h/1");
    expect(complete("rtsp://h/1")).toBe("rtsp://u:new@h/1");
    expect(files.contents.get(PATH)).not.toContain("old");
    files.contents.delete(PATH);
    await take("rtsp://u:new@h/1 and rtsp://h/1");
    expect(files.contents.has(PATH)).toBe(false);
  });

  it("begins anew beside a file that cannot be read, and says so", async () => {
    const damaged = await open(createMemoryFiles({ [PATH]: '{"version":1,"addr' }));
    expect(damaged.notices).toEqual([expect.stringContaining(`${PATH} is not the JSON that is expected`)]);
    expect(damaged.files.contents.get(PATH)).toContain("addr");
    await damaged.take(TYPED);
    expect(damaged.files.contents.get(`${PATH}.broken`)).toBe('{"version":1,"addr');
    expect((await open(damaged.files)).secrets()).toContain("hunter22");
  });

  it("goes on without a disk, and says so without the password", async () => {
    const store = await open();
    store.files.fault = { code: "ENOSPC" };
    expect(await store.take(TYPED)).toBe(SHOWN);
    expect(store.complete("http://cam/v?key=***")).toContain("k3y-1234");
    expect(store.notices).toEqual([expect.stringMatching(/^A password is kept only until the program ends: .*disk/)]);
    expect(store.notices.join()).not.toMatch(/hunter22|k3y/);
  });

  it.skipIf(process.platform === "win32")("is readable by its owner alone", async () => {
    const folder = await mkdtemp(join(tmpdir(), "vision-agent-credentials-"));
    try {
      const path = join(folder, "credentials.json");
      const { take } = await openCredentialStore({ files: nodeFiles, path, onNotice: () => undefined });
      await take(TYPED);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
