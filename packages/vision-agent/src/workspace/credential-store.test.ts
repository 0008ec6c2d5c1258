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

  it.each([
    ["is cut off", '{"version":1,"addr', "is not the JSON that is expected"],
    ["is something else", "[1,2]", "is not the JSON that is expected"],
    [
      "holds what is no address, or too long",
      JSON.stringify({
        version: 1,
        addresses: [7, "words", `rtsp://u:${"x".repeat(9_000)}@h/2`, "rtsp://u:kept-pw-1@h/1"],
      }),
      "3 entries are no addresses with a password, too long or too many",
    ],
    [
      "holds too many",
      JSON.stringify({ version: 1, addresses: Array.from({ length: 600 }, (_, at) => `rtsp://u:kept-pw-1@h/${at}`) }),
      "100 entries are",
    ],
  ])("puts a file aside at the start that %s, and says so", async (_, text, notice) => {
    const { notices, files, secrets } = await open(createMemoryFiles({ [PATH]: text }));
    expect(notices).toEqual([expect.stringContaining(notice)]);
    expect(notices[0]).toContain(`put aside as ${PATH}.broken`);
    expect(files.contents.get(`${PATH}.broken`)).toBe(text);
    expect(new Set(secrets())).toEqual(new Set(text.includes("kept-pw-1") ? ["kept-pw-1"] : []));
    const again = await open(files);
    expect(again.notices).toEqual([]);
    expect(again.secrets()).toEqual(secrets());
  });

  it("takes no address that is too long, and keeps nothing of what came with it", async () => {
    const { take, secrets, files } = await open();
    const sent = ["rtsp://u:good-pw-1@h/1", `rtsp://u:${"x".repeat(500_000)}@h/2`];
    await expect(take(sent)).rejects.toThrow(
      expect.objectContaining({ kind: "invalid", message: expect.stringContaining("2000 characters at most") }),
    );
    expect([secrets(), files.contents.size]).toEqual([[], 0]);
    const plain = `http://h/?q=${"x".repeat(5_000)}`;
    expect(await take(plain)).toBe(plain);
  });

  it("takes the passwords of 500 addresses and no more", async () => {
    const { take, secrets } = await open();
    await take(Array.from({ length: 500 }, (_, at) => `rtsp://u:pw-${at}@h/${at}`));
    await take("rtsp://u:another-1@h/0");
    await expect(take("rtsp://u:more@h/500")).rejects.toThrow("Passwords of 500 addresses are kept");
    expect(secrets()).toHaveLength(500);
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
