import { execFile, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../client-clock.ts";
import { ClientError } from "../errors.ts";
import { type Answerer, createAnswerer, type Link } from "./__fixtures__/answerer.ts";
import { CHUNK_BYTES } from "./framing.ts";
import { openSession, type WebRtcSession } from "./open-session.ts";
import type { SessionMessage, SessionOptions, SessionPicture, SessionState } from "./session.ts";

const RTSP = { kind: "rtsp", url: "rtsp://camera.local/1" } as const;

let server: Answerer;
let session: WebRtcSession | undefined;
let folder: string;

beforeEach(async () => {
  server = createAnswerer();
  folder = await mkdtemp(join(tmpdir(), "session-"));
});

afterEach(async () => {
  await session?.close();
  session = undefined;
  await server.close();
  await rm(folder, { recursive: true });
});

describe("a session on a camera that the server reads", () => {
  it("offers data only, asks for no time limit and says where it is", async () => {
    const { states } = await open({ source: RTSP, dataOutput: ["tracked"] });
    const { start } = link();
    expect(start).toMatchObject({
      rtspUrl: RTSP.url,
      streamOutput: [],
      dataOutput: ["tracked"],
      processingTimeoutS: null,
      realtime: true,
    });
    expect(start.offerSdp).toContain("m=application");
    expect(start.offerSdp).not.toContain("m=video");
    expect(start.offerSdp).toContain("a=candidate:");
    expect(states).toEqual(["starting", "connecting", "running"]);
  });

  it("names the MJPEG address where that is the source", async () => {
    await open({ source: { kind: "mjpeg", url: "http://camera.local/s.mjpg" } });
    expect(link().start).toMatchObject({ mjpegUrl: "http://camera.local/s.mjpg", dataOutput: ["*"] });
  });

  it("S000-2.3.5 gives results, packed or plain, in one chunk or several, and sends no acknowledgement", async () => {
    const { messages } = await open({ source: RTSP });
    const picture = randomBytes(CHUNK_BYTES).toString("base64");
    link().sendResult(5, { outputs: { count: 2 }, gzip: false });
    link().sendResult(6, { outputs: { picture } });
    await soon(() => expect(messages).toHaveLength(2));
    expect(messages[0]).toMatchObject({ frameId: 5, outputs: { count: 2 }, width: 64, height: 48, videoSeconds: 0.5 });
    expect(messages[1]?.outputs).toEqual({ picture });
    expect(link().texts).toEqual([]);
  });

  it("goes on after garbage, bad chunks and texts", async () => {
    const { messages } = await open({ source: RTSP });
    const garbage = [
      "00",
      "010000000500000002000000",
      "0100000000000000010000001f8b0800ff",
      "0100000000000000010000007b",
    ];
    for (const hex of garbage) link().send(Buffer.from(hex, "hex"));
    link().send("hello");
    link().sendResult(1, {});
    await soon(() => expect(messages).toHaveLength(1));
    expect(session?.figures()).toMatchObject({ results: 1, unreadable: 5 });
  });

  it("S000-2.3.7 changes its outputs while it runs", async () => {
    await open({ source: RTSP });
    session?.setOutputs({ data: ["tracked", "viz"] });
    await soon(() => expect(link().texts).toEqual(['{"data_output":["tracked","viz"]}']));
    expect(() => session?.setOutputs({ stream: "viz" })).toThrow(ClientError);
  });

  it("ends with a reason when no result comes in time", async () => {
    await open({ source: RTSP, firstResultWithinMs: 200 });
    expect(await session?.ended).toMatchObject({ kind: "failed", error: { kind: "timeout" } });
    expect(await reason()).toMatch(/no result for 0.2 s.*cannot read the camera/);
  });

  it("says so when only unreadable messages came", async () => {
    await open({ source: RTSP, firstResultWithinMs: 400 });
    link().send(Buffer.from("garbage"));
    expect(await reason()).toMatch(/1 messages came that could not be read/);
  });

  it.each([
    [undefined, "completed"],
    ["timeout_reached", "time_limit"],
  ] as const)("ends when the server says it is done (%s)", async (why, kind) => {
    await open({ source: RTSP });
    link().complete(why);
    expect(await session?.ended).toEqual({ kind });
    expect(session?.state).toBe("ended");
  });

  it("notices a channel that the server closes while the connection stays", async () => {
    await open({ source: RTSP });
    link().closeChannel();
    expect(await session?.ended).toMatchObject({ kind: "failed", error: { kind: "network" } });
  });

  it("notices a server that goes away", async () => {
    await open({ source: RTSP });
    await link().close();
    expect(await session?.ended).toMatchObject({ kind: "failed", error: { kind: "network" } });
  });
});

describe("a session that does not come up", () => {
  it("is given up when the signal fires, and says so", async () => {
    const stop = new AbortController();
    const opening = openSession({ ...base(), client: deaf(), source: RTSP, signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    await expect(opening).rejects.toMatchObject({ kind: "cancelled" });
  });

  it("is given up when no connection comes in time", async () => {
    const client = answering(async (sdp) => {
      await Promise.all(server.links.map((each) => each.close()));
      return sdp;
    });
    const opening = openSession({ ...base(), client, source: RTSP, connectWithinMs: 300 });
    await expect(opening).rejects.toMatchObject({ kind: "timeout", message: expect.stringContaining("UDP") });
  });

  it("refuses an answer that is none", async () => {
    const opening = openSession({ ...base(), client: answering(async () => "hello"), source: RTSP });
    await expect(opening).rejects.toBeInstanceOf(ClientError);
  });

  it("adds what a hidden failure most likely means with a camera", async () => {
    const client = failing(new ClientError({ kind: "server", status: 500, message: "Internal error." }));
    const opening = openSession({ ...base(), client, source: RTSP });
    await expect(opening).rejects.toMatchObject({
      kind: "server",
      status: 500,
      message: expect.stringMatching(/Internal error\..*camera/),
    });
  });

  it("passes on what the server says against the request", async () => {
    const refusal = new ClientError({ kind: "invalid", message: "Invalid data_output fields." });
    await expect(openSession({ ...base(), client: failing(refusal), source: RTSP })).rejects.toBe(refusal);
  });

  it("asks no server where ffmpeg is missing", async () => {
    const source = { kind: "frames", width: 64, height: 48, fps: 10 } as const;
    const opening = openSession({ ...base(), client: server.client, source, ffmpegPath: "/nowhere/ffmpeg" });
    await expect(opening).rejects.toMatchObject({
      kind: "unsupported",
      message: expect.stringContaining("apt install ffmpeg"),
    });
    expect(server.links).toEqual([]);
  });

  it.each([
    { width: 65, height: 48, fps: 10 },
    { width: 64, height: 0, fps: 10 },
    { width: 64, height: 48, fps: 0 },
  ])("refuses frames of %j", async (size) => {
    const opening = openSession({ ...base(), client: server.client, source: { kind: "frames", ...size } });
    await expect(opening).rejects.toMatchObject({ kind: "invalid" });
  });
});

describe("a session on a file", () => {
  it("F-11 uploads a file whose path has spaces", async () => {
    const path = join(folder, "my videos", "front door 1.mp4");
    const bytes = randomBytes(5 * CHUNK_BYTES + 17);
    await mkdir(join(folder, "my videos"));
    await writeFile(path, bytes);
    const progress: number[] = [];
    const { states } = await open({
      source: { kind: "file", path, onProgress: ({ sentBytes }) => progress.push(sentBytes) },
    });
    await soon(() => expect(link().uploaded().equals(bytes)).toBe(true));
    expect(progress).toEqual([1, 2, 3, 4, 5].map((chunk) => chunk * CHUNK_BYTES).concat(bytes.length));
    expect(states).toEqual(["starting", "connecting", "uploading", "running"]);
    expect(link().start.realtime).toBe(false);
  });

  it("acknowledges a frame when it was used, and ends when all are", async () => {
    const used: number[] = [];
    await open({
      source: { kind: "file", path: await smallFile() },
      onMessage: async ({ frameId }) => {
        await sleep(20);
        used.push(frameId);
      },
    });
    link().sendResult(1, {});
    link().sendResult(2, {});
    await soon(() => expect(link().texts).toEqual(['{"ack":1}', '{"ack":2}']));
    link().sendResult(3, {});
    link().complete();
    expect(await session?.ended).toEqual({ kind: "completed" });
    expect(used).toEqual([1, 2, 3]);
  });

  it.each([
    ["a file that is not there", "nothing.mp4", "not_found"],
    ["a folder", ".", "invalid"],
  ])("refuses %s before a server is asked", async (_, name, kind) => {
    const opening = openSession({
      ...base(),
      client: server.client,
      source: { kind: "file", path: join(folder, name) },
    });
    await expect(opening).rejects.toMatchObject({ kind });
    expect(server.links).toEqual([]);
  });

  it("is closed in the middle of the upload without harm", async () => {
    const path = join(folder, "large.mp4");
    await writeFile(path, Buffer.alloc(40 * 1024 * 1024));
    await open({ source: { kind: "file", path } });
    await session?.close();
    expect(await session?.ended).toEqual({ kind: "closed" });
    expect(link().uploaded().length).toBeLessThan(40 * 1024 * 1024);
  });
});

describe("closing", () => {
  it("may happen twice and leaves no socket and no timer: a process that closed its session ends", async () => {
    expect(await runToEnd("open-and-close.ts")).toBe("closed");
  });

  it("follows the signal", async () => {
    const stop = new AbortController();
    await open({ source: RTSP, signal: stop.signal });
    stop.abort();
    expect(await session?.ended).toEqual({ kind: "closed" });
  });
});

describe.skipIf(!hasFfmpeg())("a session on pushed frames", () => {
  const source = { kind: "frames", width: 64, height: 48, fps: 10 } as const;

  it("S000-2.3.6 sends pictures as VP8, gives each result its picture's time and the drawn pictures with their frame", async () => {
    const pictures: SessionPicture[] = [];
    const { messages } = await open({ source, streamOutput: "viz", onVideo: (picture) => pictures.push(picture) });
    expect(link().start).toMatchObject({ declaredFps: 10, streamOutput: ["viz"], realtime: true });
    for (let at = 0; at < 12; at++) {
      expect(session?.push(grey(at, 5000 + at * 100))).toBe(true);
      await soon(() => expect(link().packets).toBeGreaterThan(at));
      link().sendResult(at + 1, { pts: at * 9000 + 30 });
    }
    await soon(() => expect(messages).toHaveLength(12));
    expect(messages.map(({ capturedAt }) => capturedAt)).toEqual(
      Array.from({ length: 12 }, (_, at) => 5000 + at * 100),
    );
    await soon(() => expect(pictures.length).toBeGreaterThanOrEqual(10));
    expect([...pictures[0]!.jpeg.subarray(0, 2)]).toEqual([0xff, 0xd8]);
    expect(pictures.at(-1)?.frameId).toBeGreaterThan(5);
    expect(session?.figures()).toMatchObject({ framesPushed: 12, framesDropped: 0 });
  });

  it("drops what comes faster than it can be coded", async () => {
    await open({ source });
    const taken = Array.from({ length: 50 }, (_, at) => session?.push(grey(at, at)));
    expect(taken.filter(Boolean)).toHaveLength(8);
    expect(session?.figures()).toMatchObject({ framesPushed: 8, framesDropped: 42 });
  });

  it("refuses pictures of another size or kind", async () => {
    await open({ source });
    expect(() => session?.push({ kind: "rgba", capturedAt: 0, bytes: new Uint8Array(5) })).toThrow(/64 × 48/);
    expect(() => session?.push({ kind: "jpeg", capturedAt: 0, bytes: new Uint8Array(5) })).toThrow(/no JPEG/);
    session?.push(grey(0, 0));
    expect(() => session?.push({ kind: "jpeg", capturedAt: 0, bytes: Uint8Array.of(0xff, 0xd8) })).toThrow(/one kind/);
  });

  it("leaves no process when it is closed", async () => {
    expect(await runToEnd("open-and-close.ts", "frames")).toBe("closed");
  });

  it("waits for the first picture before it counts the time to the first result", async () => {
    await open({ source, firstResultWithinMs: 150 });
    await sleep(300);
    expect(session?.state).toBe("running");
    session?.push(grey(0, 0));
    expect(await reason()).toMatch(/Pictures are sent but none is answered/);
  });
});

function link(): Link {
  return server.links.at(-1)!;
}

const SPEC: WorkflowSpec = { version: "1.0", inputs: [], steps: [], outputs: [] };

function base(): Omit<SessionOptions, "source" | "client"> {
  return { workflow: { specification: SPEC }, clock: systemClock, onMessage: () => undefined };
}

async function open(
  options: Pick<SessionOptions, "source"> & Partial<SessionOptions>,
): Promise<{ messages: SessionMessage[]; states: SessionState[] }> {
  const messages: SessionMessage[] = [];
  const states: SessionState[] = [];
  const listen = {
    onMessage: (message: SessionMessage) => void messages.push(message),
    onState: (state: SessionState) => void states.push(state),
  };
  session = await openSession({ ...base(), client: server.client, ...listen, ...options });
  await link().opened;
  return { messages, states };
}

async function reason(): Promise<string> {
  const end = await session?.ended;
  return end?.kind === "failed" ? end.error.message : "";
}

function answering(change: (sdp: string) => Promise<string>): SessionOptions["client"] {
  return {
    webrtc: {
      async initialise(start) {
        const { sdp } = await server.client.webrtc.initialise(start);
        return { sdp: await change(sdp), type: "answer" };
      },
    },
  };
}

function failing(error: ClientError): SessionOptions["client"] {
  return { webrtc: { initialise: () => Promise.reject(error) } };
}

/** Never answers; gives up with the signal, as a client does. */
function deaf(): SessionOptions["client"] {
  return {
    webrtc: {
      initialise: (_, options) =>
        new Promise((_done, fail) => options?.signal?.addEventListener("abort", () => fail(options.signal?.reason))),
    },
  };
}

async function smallFile(): Promise<string> {
  const path = join(folder, "small.mp4");
  await writeFile(path, "video");
  return path;
}

function grey(level: number, capturedAt: number) {
  return { kind: "rgba", capturedAt, bytes: new Uint8Array(64 * 48 * 4).fill(level * 10) } as const;
}

/** What a script of our fixtures prints, once it has ended by itself. */
async function runToEnd(script: string, ...words: string[]): Promise<string> {
  const path = join(import.meta.dirname, "__fixtures__", script);
  const { stdout } = await promisify(execFile)(process.execPath, [path, ...words], { timeout: 15_000 });
  return stdout;
}

function hasFfmpeg(): boolean {
  const there = spawnSync("ffmpeg", ["-version"]).status === 0;
  if (!there) process.stdout.write("pushed frames: skipped, since ffmpeg is not installed.\n");
  return there;
}

/** Long enough for a machine that is busy. */
async function soon(check: () => void): Promise<void> {
  await vi.waitFor(check, 8000);
}
