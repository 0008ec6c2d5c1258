// what a person typed → what kind of source it is, and what may be shown of it

import { access, constants, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type EngineError, sourceError } from "../errors.ts";

/** Where a network source is. */
interface NetworkAddress {
  /** With credentials, percent-encoded; never to be shown. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

/** A source by what opens it. `label` is the address without credentials. */
export type SourceAddress =
  | { readonly kind: "sim"; readonly label: string }
  | ({ readonly kind: "rtsp"; readonly label: string; readonly transport: RtspTransport } & NetworkAddress)
  | ({ readonly kind: "http"; readonly label: string } & NetworkAddress)
  | ({ readonly kind: "webcam"; readonly label: string } & WebcamAddress)
  /** A video, a picture or a folder: the disk knows. */
  | { readonly kind: "path"; readonly label: string; readonly path: string };

/** A camera plugged into this machine, and what is asked of it. */
export interface WebcamAddress {
  /** As Linux names it: `/dev/video0`. */
  readonly device: string;
  readonly width?: number;
  readonly height?: number;
  readonly fps?: number;
  /** How the camera sends pictures: `mjpeg` is often the only way to large ones at full rate. */
  readonly format?: string;
}

/** How the packets of an RTSP camera travel. */
export type RtspTransport = "tcp" | "udp";

const PORTS: Readonly<Record<string, number>> = { rtsp: 554, rtsps: 322, http: 80, https: 443 };

/** Throws `EngineError` kind `source`, reason `unknown_scheme` or `bad_option`. */
export function parseSourceAddress(address: string): SourceAddress {
  const text = address.trim();
  const problem = addressProblem(text);
  if (problem !== undefined) throw sourceError("bad_option", problem);
  const label = withoutCredentials(text);
  const webcam = /^(?:webcam:(?:\/\/)?(\d+)|(?:webcam:)?(\/dev\/video\d+))(?:\?(.*))?$/i.exec(text);
  if (webcam !== null) return { kind: "webcam", label, ...toWebcamAddress(webcam) };
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  switch (scheme) {
    case "sim":
      return { kind: "sim", label };
    case "rtsp":
    case "rtsps":
      return toRtspAddress(text, label);
    case "http":
    case "https":
      return { kind: "http", label, ...toNetworkAddress(text) };
    case "file":
      return { kind: "path", label, path: toFilePath(text) };
    case undefined:
      if (text === "" || /^webcam:/i.test(text)) throw unknownAddress(text === "" ? "An empty address" : `"${label}"`);
      return { kind: "path", label, path: resolve(text) };
    default:
      throw unknownAddress(`${scheme}://`);
  }
}

/**
 * Why an address can be read in two ways, so that the place that is shown might not be the one that is opened; undefined
 * when it cannot. Browsers take `\\` for `/` and leave out line breaks; passwords with a slash make every `@` doubtful.
 */
export function addressProblem(address: string): string | undefined {
  const [, rest] = /^[a-z][a-z0-9+.-]*:[/\\]+(.*)$/is.exec(address) ?? [];
  if (rest === undefined || /^file:/i.test(address)) return undefined;
  if (/^[a-z0-9+.-]*:(?!\/\/[^/\\])/i.test(address) || /[\\\p{Cc}]/u.test(rest)) {
    return "An address has two slashes after its scheme, and no backslashes or control characters; write a backslash as %5C.";
  }
  const [head = ""] = /^[^/?#]*/.exec(rest) ?? [];
  const [path = ""] = /^[^?#]*/.exec(rest.slice(head.length)) ?? [];
  const isDoubtful = path.includes("@") && (head.includes("@") || /^[^[:]*:\d*$/.test(head));
  return isDoubtful
    ? "This address can be read in two ways; write @ in a password or path as %40, and / as %2F."
    : undefined;
}

const SECRET_PARAMETER =
  /([?&;](?:user|username|usr|login|loginuse|loginpas|pass|passwd|password|pwd|token|access_token|session|sig|key|auth|apikey|api_key|secret)=)[^&;#]*/gi;

/** Everything up to the last `@` before the query goes, so that a password with `/` or `@` leaves nothing behind. */
function withoutCredentials(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^?#]*@/i, "$1").replace(SECRET_PARAMETER, "$1***");
}

function toWebcamAddress([, number, device, query = ""]: readonly (string | undefined)[]): WebcamAddress {
  const wishes: { width?: number; height?: number; fps?: number; format?: string } = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === "format" && /^[a-z0-9]+$/i.test(value)) wishes.format = value.toLowerCase();
    else if ((name === "width" || name === "height" || name === "fps") && Number(value) > 0)
      wishes[name] = Number(value);
    else
      throw sourceError(
        "bad_option",
        `"${name}=${value}" is not known: a webcam has the options width, height, fps and format.`,
      );
  }
  return { device: device ?? `/dev/video${number}`, ...wishes };
}

function toRtspAddress(text: string, label: string): SourceAddress {
  const [, before = text, wanted, after = ""] = /^(.*[?&])transport=([^&#]*)&?(.*)$/i.exec(text) ?? [];
  const transport = (wanted ?? "tcp").toLowerCase();
  if (transport !== "tcp" && transport !== "udp") {
    throw sourceError("bad_option", `The option transport must be tcp or udp, not "${transport}".`);
  }
  const url = `${before}${after}`.replace(/[?&]$/, "");
  return { kind: "rtsp", label, transport, ...toNetworkAddress(url) };
}

/** Credentials as people paste them, with `@` or `/` in the password, become a proper URL. */
function toNetworkAddress(text: string): NetworkAddress {
  const [, scheme = "", rest = ""] = /^([a-z]+):\/\/(.*)$/is.exec(text) ?? [];
  const at = credentialsEnd(rest);
  const [user = "", ...password] = at < 0 ? [] : rest.slice(0, at).split(":");
  const place = rest.slice(at + 1);
  const [, host = "", port] = /^(\[[^\]]*\]|[^/:?#]*)(?::(\d+))?(?=[/?#]|$)/.exec(place) ?? [];
  if (host === "")
    throw sourceError("bad_option", `The ${scheme}:// address names no host, or its port is not a number.`);
  const credentials = at < 0 ? "" : `${encoded(user)}${password.length > 0 ? `:${encoded(password.join(":"))}` : ""}@`;
  return {
    url: `${scheme.toLowerCase()}://${credentials}${place}`,
    host: host.replace(/^\[|\]$/g, ""),
    port: port === undefined ? PORTS[scheme.toLowerCase()]! : Number(port),
  };
}

function credentialsEnd(rest: string): number {
  const head = /^[^/?#]*/.exec(rest)![0];
  if (head.includes("@")) return head.lastIndexOf("@");
  // `name:pa` before the first slash is no host and port: the password goes on up to the last `@`.
  return !head.startsWith("[") && /:(?!\d*$)/.test(head) ? rest.lastIndexOf("@") : -1;
}

function encoded(part: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(part));
  } catch (error) {
    // A lone percent sign belongs to the password itself.
    if (error instanceof URIError) return encodeURIComponent(part);
    throw error;
  }
}

function toFilePath(text: string): string {
  try {
    return fileURLToPath(text);
  } catch (cause) {
    throw sourceError(
      "bad_option",
      "A file:// address needs an absolute path on this machine, as in file:///home/me/clip.mp4.",
      cause,
    );
  }
}

/** Names the scheme only: the rest of an address may hold a password. */
function unknownAddress(what: string): EngineError {
  return sourceError(
    "unknown_scheme",
    `${what} cannot be opened. A camera is rtsp://…, http://…, webcam:0, a video file, a picture, a folder of pictures, sim://street or sim://warehouse.`,
  );
}

export type FileKind = "folder" | "image" | "video";

/** Throws `EngineError` kind `source` when there is nothing that could be opened. */
export async function fileKind(path: string, label: string): Promise<FileKind> {
  const file = await stat(path).catch((cause: unknown) => {
    throw sourceError("not_found", `There is no file or folder ${label}.`, cause);
  });
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw sourceError("not_readable", `${label} may not be read by this user.`, cause);
  });
  if (file.isDirectory()) return "folder";
  if (file.isCharacterDevice() || file.isBlockDevice() || file.isSocket()) {
    throw sourceError("no_video", `${label} is no video, picture or folder; a webcam is webcam:0 or /dev/video0.`);
  }
  if (file.isFile() && file.size === 0) throw sourceError("no_video", `${label} is empty.`);
  // A GIF may move: ffmpeg reads both kinds.
  return IMAGE_NAME.test(path) && !/\.gif$/i.test(path) ? "image" : "video";
}

/** File names that are taken for pictures. */
export const IMAGE_NAME = /\.(?:jpe?g|png|webp|gif|tiff?|avif)$/i;
