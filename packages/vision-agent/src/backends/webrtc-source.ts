// camera address → who reads it: the server, or this machine, which then sends frames
import { stat } from "node:fs/promises";
import type { SessionSource } from "@vision-agent/inference-client";
import { parseSourceAddress } from "@vision-agent/vision-engine";

/** `frames`: read here and pushed. */
export type WebRtcSource = Exclude<SessionSource, { kind: "frames" }> | { readonly kind: "frames" };

/** Throws `EngineError` kind `source` for what nobody can open. */
export async function toWebRtcSource(address: string): Promise<WebRtcSource> {
  const parsed = parseSourceAddress(address);
  switch (parsed.kind) {
    case "rtsp":
      return { kind: "rtsp", url: parsed.url };
    case "http":
      return isPublic(parsed.host) ? { kind: "mjpeg", url: parsed.url } : { kind: "frames" };
    case "path":
      // A picture is a video of one frame: as a track it would be over before the server looks.
      return (await isFile(parsed.path)) ? { kind: "file", path: parsed.path } : { kind: "frames" };
    case "sim":
    case "webcam":
      return { kind: "frames" };
  }
}

/** Servers since 1.8 read HTTP cameras of public addresses only, unless their operator allows others. */
function isPublic(host: string): boolean {
  if (host.includes(":")) return !/^(?:::1$|fe80:|f[cd])/i.test(host);
  if (/^\d+(?:\.\d+){3}$/.test(host)) {
    return !/^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      host,
    );
  }
  return host.includes(".") && !/\.(?:local|lan|home|internal|localhost)$/i.test(host);
}

/** What is missing is taken for a folder that the engine then fails to open, with its own words. */
async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined /* no such file */))?.isFile() === true;
}
