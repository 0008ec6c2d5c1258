// file path, URL, base64, artifact id or camera name → the picture that a call is about

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readImageHeader, type ToolContext } from "@vision-agent/agent-core";
import {
  addressProblem,
  EngineError,
  type FetchRefusal,
  guardedFetch,
  isPublicAddress,
  nearestName,
  type Picture,
} from "@vision-agent/vision-engine";
import type { ImageRef } from "../backends/backend.ts";
import { GIVEN, ofCamera, originOf, type PictureOrigin } from "../store/picture-origin.ts";
import { isAddress, withoutCredentials } from "../workspace/camera-address.ts";
import type { CameraRegistry, RegisteredCamera } from "../workspace/camera-registry.ts";
import type { PictureUse } from "./ask-egress.ts";
import type { CallGrade } from "./graded-tool.ts";
import { findCamera, foreignSources } from "./known-source.ts";
import type { ReachedPlace } from "./reached-place.ts";
import { PICTURE_EDGE, type Resized, type ResizeOptions } from "./resize-picture.ts";

export interface PictureOptions {
  readonly cameras: CameraRegistry;
  /** What a camera shows now. */
  readonly snapshot: (
    camera: { readonly name: string; readonly address: string },
    signal: AbortSignal,
  ) => Promise<Pick<Picture, "jpeg">>;
  /** Undefined when there is no such file. */
  readonly readFile: (path: string, maxBytes: number) => Promise<Uint8Array | undefined>;
  readonly fetch: (url: URL, options: FetchPictureOptions) => Promise<Uint8Array>;
  /** The whole address for one as it is shown. */
  readonly complete: (address: string) => string;
  readonly resize: (bytes: Uint8Array, options: ResizeOptions) => Promise<Resized>;
  /** Longest side in pixels of `NamedPicture.pixels`. Default `PICTURE_EDGE`. */
  readonly maxEdge?: number;
  /** Where relative paths begin. */
  readonly folder: string;
  /** What `~` stands for. */
  readonly home: string;
}

/** A picture that somebody named. */
export interface NamedPicture {
  /** For the first line of an answer: a camera's or a file's name. */
  readonly label: string;
  readonly image: ImageRef;
  readonly origin: PictureOrigin | undefined;
  /** The pixels as a model is shown them: small. */
  readonly pixels: (signal: AbortSignal) => Promise<Resized>;
}

export type OpenPicture = (
  reference: string,
  context: Pick<ToolContext, "signal" | "getArtifact">,
) => Promise<NamedPicture>;

const MAX_BYTES = 20_000_000;
const FETCH_MS = 15_000;
const ARTIFACT_ID = /^art_[0-9a-f]{32}$/;
const ID_DIGITS = 32;
const DATA_URL = /^data:[^,]*;base64,/i;
const BASE64 = /^[A-Za-z0-9+/\s]{64,}={0,2}$/;
const SOURCE = /^(?:rtsps?|rtmp|sim|webcam|mjpeg|udp):/i;

/** Throws a sentence that says what to give instead. */
export function createOpenPicture(options: PictureOptions): OpenPicture {
  const { maxEdge = PICTURE_EDGE } = options;
  const ofBytes = ({ bytes, label, origin }: LoadedBytes): NamedPicture => {
    // The first bytes decide: names and declared types are never believed.
    const header = readImageHeader(bytes);
    if (header === undefined) {
      throw new Error(`${label} is not a picture (JPEG, PNG, WebP or GIF). For a video use start_pipeline.`);
    }
    return {
      label,
      origin,
      image: { kind: "bytes", bytes, mimeType: header.mimeType, ...(origin && { origin }) },
      pixels: () => options.resize(bytes, { maxEdge }),
    };
  };
  const showCamera = ({ name, address }: Pick<RegisteredCamera, "name" | "address">): NamedPicture => ({
    label: name,
    origin: ofCamera(name),
    image: { kind: "source", sourceId: name, address },
    async pixels(signal) {
      const { jpeg } = await options.snapshot({ name, address }, signal);
      return options.resize(jpeg, { maxEdge });
    },
  });
  return async (written, context) => {
    const reference = unquoted(written);
    const camera = findCamera(options.cameras, reference);
    if (camera !== undefined) return showCamera(camera);
    if (SOURCE.test(reference)) return showCamera({ name: toLabel(withoutCredentials(reference)), address: reference });
    const loaded = await loadBytes(reference, context, options);
    return ofBytes({ ...loaded, origin: await originOfBytes(loaded.bytes, context) });
  };
}

/** Which camera's picture a call hands on. What cannot be opened is refused by the call itself, with the reason. */
export async function picturesIn(
  reference: string,
  context: Parameters<OpenPicture>[1],
  { openPicture, cameras }: { readonly openPicture: OpenPicture; readonly cameras: CameraRegistry },
): Promise<PictureUse> {
  // What lies elsewhere is not opened before somebody said yes.
  if (foreignPictures(cameras, reference).length > 0) return { cameras: [], to: [] };
  const picture = await openPicture(reference, context).catch(() => undefined);
  return { cameras: picture?.origin?.cameras ?? [], to: ["model", "server"] };
}

/** A camera's picture stays one, by whatever name it is asked for. */
async function originOfBytes(
  bytes: Uint8Array,
  { getArtifact }: Pick<ToolContext, "getArtifact">,
): Promise<PictureOrigin | undefined> {
  const known = await getArtifact(`art_${createHash("sha256").update(bytes).digest("hex").slice(0, ID_DIGITS)}`);
  return known === undefined ? GIVEN : originOf(known.ref);
}

/** A look at it, asked about where the picture lies elsewhere. */
export function gradePicture(cameras: CameraRegistry, written: string): CallGrade {
  return { grade: "look", question: "May I open this picture?", destinations: foreignPictures(cameras, written) };
}

/** What a call that names this picture opens beyond the cameras and pictures of the app. */
export function foreignPictures(cameras: CameraRegistry, written: string): readonly ReachedPlace[] {
  const reference = unquoted(written);
  const isHere = DATA_URL.test(reference) || ARTIFACT_ID.test(reference) || decodePicture(reference) !== undefined;
  return isHere ? [] : foreignSources(cameras, reference);
}

function unquoted(written: string): string {
  return written.trim().replace(/^(["'])(.*)\1$/s, "$2");
}

/** A path may look like base64, too: it is no picture when it is decoded. */
function decodePicture(reference: string): Uint8Array | undefined {
  if (!BASE64.test(reference)) return undefined;
  const bytes = Buffer.from(reference, "base64");
  return readImageHeader(bytes) === undefined ? undefined : bytes;
}

interface LabelledBytes {
  readonly bytes: Uint8Array;
  readonly label: string;
}

interface LoadedBytes extends LabelledBytes {
  readonly origin: PictureOrigin | undefined;
}

async function loadBytes(
  reference: string,
  { signal, getArtifact }: Parameters<OpenPicture>[1],
  options: PictureOptions,
): Promise<LabelledBytes> {
  if (DATA_URL.test(reference)) {
    return { bytes: Buffer.from(reference.replace(DATA_URL, ""), "base64"), label: "picture" };
  }
  if (ARTIFACT_ID.test(reference)) {
    const artifact = await getArtifact(reference);
    if (artifact === undefined) throw new Error(`There is no picture ${reference}, or it was deleted.`);
    return { bytes: artifact.bytes, label: toLabel(artifact.ref.filename ?? "picture") };
  }
  if (/^https?:\/\//i.test(reference)) {
    const url = parseUrl(options.complete(reference));
    const bytes = await options.fetch(url, { maxBytes: MAX_BYTES, timeoutMs: FETCH_MS, signal });
    return { bytes, label: toLabel(`${url.hostname} ${basename(url.pathname)}`) };
  }
  const encoded = decodePicture(reference);
  if (encoded !== undefined) return { bytes: encoded, label: "picture" };
  const file = isAddress(reference) ? await loadFile(reference, options) : undefined;
  if (file !== undefined) return file;
  throw new Error(nothingThere(options.cameras, reference));
}

function parseUrl(reference: string): URL {
  const url = addressProblem(reference) === undefined ? URL.parse(reference) : null;
  if (url === null) throw new Error(`"${withoutCredentials(reference)}" is not an address.`);
  return url;
}

async function loadFile(
  reference: string,
  { readFile, folder, home }: PictureOptions,
): Promise<LabelledBytes | undefined> {
  const written = /^file:/i.test(reference) ? fileURLToPath(reference) : reference.replace(/^~(?=\/|$)/, home);
  // People paste paths as a shell shows them, too.
  for (const spelling of new Set([written, written.replaceAll("\\ ", " ")])) {
    const path = resolve(folder, spelling);
    const bytes = await readFile(path, MAX_BYTES);
    if (bytes !== undefined) return { bytes, label: toLabel(basename(path)) };
  }
  return undefined;
}

function nothingThere(cameras: CameraRegistry, reference: string): string {
  const shown = reference.length > 100 ? `${reference.slice(0, 100)}…` : reference;
  const names = cameras.list().map(({ name }) => name);
  const nearest = nearestName(reference, names);
  const hint =
    nearest === undefined ? `Cameras: ${names.join(", ") || "none"}.` : `Did you mean the camera "${nearest}"?`;
  return `"${shown}" is not a file, camera or picture id. ${hint} Give a camera name, a file path, an http(s) address, or a picture id (art_…).`;
}

/** Without what would break the line it begins. */
function toLabel(text: string): string {
  return (
    text
      .replace(/[:;\n\r]+/g, " ")
      .trim()
      .slice(0, 80) || "picture"
  );
}

/** Undefined when there is no such file. Throws a sentence when it is too large or may not be read. */
export async function readPictureFile(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "ENAMETOOLONG") return undefined;
    throw new Error(`${path} cannot be read (${error.code}).`, { cause: error });
  });
  if (file === undefined) return undefined;
  try {
    const entry = await file.stat();
    if (!entry.isFile()) throw new Error(`${path} is no file.`);
    if (entry.size > maxBytes) throw new Error(`${path} is larger than ${Math.floor(maxBytes / 1e6)} MB.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

export interface FetchPictureOptions {
  readonly maxBytes: number;
  /** For all of it, redirects included. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Which IP addresses may be asked. Default: the public internet. */
  readonly isAllowed?: (address: string) => boolean;
}

const MOST_REDIRECTS = 3;

/** Throws a sentence without credentials. */
export async function fetchPicture(url: URL, options: FetchPictureOptions): Promise<Uint8Array> {
  const { signal, isAllowed = isPublicAddress, maxBytes, timeoutMs } = options;
  const request = { method: "GET", headers: { accept: "image/*" }, signal } as const;
  const limits = { isAllowed, maxBytes, timeoutMs, maxRedirects: MOST_REDIRECTS };
  const response = await guardedFetch(url.href, request, limits).catch((cause: unknown) => {
    signal.throwIfAborted();
    const type = cause instanceof EngineError ? cause.type : undefined;
    throw refusal(url, reasonsOf(options)[type as FetchRefusal] ?? "it is not reached", cause);
  });
  if (response.status !== 200) throw refusal(url, `the server answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

function reasonsOf({ maxBytes, timeoutMs }: FetchPictureOptions): Readonly<Record<FetchRefusal, string>> {
  return {
    AddressNotAllowed:
      "it lies on this machine or in a local network, and only registered cameras are read there; add it to CAMERAS.md, or give the file",
    AnswerTooLarge: `it is larger than ${Math.floor(maxBytes / 1e6)} MB`,
    TimedOut: `it took longer than ${timeoutMs / 1000} s`,
    TooManyRedirects: `it redirects more than ${MOST_REDIRECTS} times`,
    UnknownScheme: "only http and https are read",
  };
}

function refusal(url: URL, reason: string, cause?: unknown): Error {
  return new Error(`The picture at ${withoutCredentials(url.href)} cannot be had: ${reason}.`, { cause });
}
