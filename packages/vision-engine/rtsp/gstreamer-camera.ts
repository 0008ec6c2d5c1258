// the script that serves RTSP with GStreamer → a camera that tests can switch
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const PYTHON = "/usr/bin/python3";
const SCRIPT = fileURLToPath(new URL("rtsp-camera.py", import.meta.url));

export interface CameraOptions {
  readonly codec: "h264" | "h265";
  readonly credentials?: readonly [user: string, password: string, scheme: "basic" | "digest"];
  /** Default: a free one. */
  readonly port?: number;
}

export interface GstreamerCamera {
  readonly port: number;
  /** Connections stay, no picture comes. */
  freeze(): void;
  /** Pulls the plug. May be called twice. */
  stop(): Promise<void>;
}

/** What is missing for this suite, in one line; absent when all is there. */
export function missingForRtsp(): string | undefined {
  if (spawnSync("ffmpeg", ["-version"]).status !== 0) return "ffmpeg is not installed";
  return spawnSync(PYTHON, [SCRIPT, "check"]).status === 0 ? undefined : "GStreamer's RTSP server is not installed";
}

export async function startCamera({ codec, credentials, port }: CameraOptions): Promise<GstreamerCamera> {
  const chosen = port ?? (await freePort());
  const child = spawn(PYTHON, [SCRIPT, String(chosen), codec, ...(credentials ?? [])]);
  child.stderr.resume();
  await untilReady(child);
  return {
    port: chosen,
    freeze: () => child.stdin.write("freeze\n"),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

async function untilReady(child: ChildProcessWithoutNullStreams): Promise<void> {
  const ready = once(child.stdout, "data");
  const failed = once(child, "exit").then(([code]) => Promise.reject(new Error(`the camera ended at once (${code})`)));
  await Promise.race([ready, failed]);
  failed.catch((error: Error) => error);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
