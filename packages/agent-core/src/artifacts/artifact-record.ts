// what a store knows of an artifact beside its bytes: whose it is, who holds it, when it goes
import { createHash } from "node:crypto";
import { type AgentError, agentError } from "../types/errors.ts";
import { isJsonObject, type Json, parseJsonObject } from "../types/json.ts";
import type { ArtifactRef } from "../types/message.ts";
import type { ArtifactFilter, ArtifactScope, PutOptions, Retention } from "./artifact-store.ts";
import { readImageHeader } from "./image-header.ts";

/** The same picture put by ever new sessions must not make its record grow for ever. Above this the first lose it. */
const MAX_SCOPES = 10_000;
const MAX_SOURCES = 100;

export interface ArtifactRecord {
  readonly ref: ArtifactRef;
  /** Latest last. */
  readonly scopes: readonly ArtifactScope[];
  /** Somebody put it without a scope: anybody may read it. */
  readonly isPublic: boolean;
  readonly pins: readonly string[];
  /** ISO 8601. Its age counts from here. */
  readonly lastPutAt: string;
}

export function createRecord(ref: ArtifactRef, scope: ArtifactScope | undefined): ArtifactRecord {
  return { ref, scopes: scope ? [scope] : [], isPublic: !scope, pins: [], lastPutAt: ref.createdAt };
}

/** Whether who asks finds it; without a scope that is the host. */
export function mayRead(record: ArtifactRecord, asks: ArtifactScope | undefined): boolean {
  return !asks || record.isPublic || isOwner(record, asks);
}

function isOwner({ scopes }: ArtifactRecord, asks: ArtifactScope): boolean {
  return scopes.some(
    ({ sessionId, userId }) =>
      (userId !== undefined && userId === asks.userId) || (sessionId !== undefined && sessionId === asks.sessionId),
  );
}

/** The same bytes came again, perhaps from somebody else. */
export function putAgain(before: ArtifactRecord, again: ArtifactRef, scope: ArtifactScope | undefined): ArtifactRecord {
  const record = { ...before, ref: withSources(before.ref, again), lastPutAt: again.createdAt };
  if (!scope) return { ...record, isPublic: true };
  const { sessionId, userId } = scope;
  const others = record.scopes.filter((known) => known.sessionId !== sessionId || known.userId !== userId);
  return { ...record, scopes: [...others, scope].slice(-MAX_SCOPES) };
}

function withSources(ref: ArtifactRef, { sources }: ArtifactRef): ArtifactRef {
  if (!sources) return ref;
  return { ...ref, sources: [...new Set([...(ref.sources ?? []), ...sources])].slice(0, MAX_SOURCES) };
}

export function withPin(record: ArtifactRecord, by: string): ArtifactRecord {
  return record.pins.includes(by) ? record : { ...record, pins: [...record.pins, by] };
}

export function withoutPin(record: ArtifactRecord, by: string): ArtifactRecord {
  return { ...record, pins: record.pins.filter((holder) => holder !== by) };
}

/** What fits the filter, oldest first. */
export function listRefs(
  records: readonly ArtifactRecord[],
  { namespace, scope }: ArtifactFilter,
): readonly ArtifactRef[] {
  return records
    .filter(({ ref }) => namespace === undefined || ref.namespace === namespace)
    .filter((record) => !scope || isOwner(record, scope))
    .map(({ ref }) => ref)
    .sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
}

/** What a sweep takes away, oldest first. */
export function listExpired(
  records: readonly ArtifactRecord[],
  { maxAgeMs = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY, namespace }: Retention,
  now: number,
): readonly ArtifactRecord[] {
  const inReach = records
    .filter(({ ref }) => namespace === undefined || ref.namespace === namespace)
    .sort((a, b) => compare(a.lastPutAt, b.lastPutAt) || compare(a.ref.id, b.ref.id));
  let kept = inReach.reduce((sum, { ref }) => sum + ref.bytes, 0);
  return inReach.filter(({ ref, pins, lastPutAt }) => {
    const goes = pins.length === 0 && (now - Date.parse(lastPutAt) > maxAgeMs || kept > maxBytes);
    if (goes) kept -= ref.bytes;
    return goes;
  });
}

export function unknownArtifact(id: string): AgentError {
  return agentError(
    "invalid",
    "unknown_artifact",
    `There is no artifact "${id}". It was removed, or never stored here: store its bytes again.`,
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The reference at the top level, so that a file of the first version is a record without holders. */
export function encodeRecord({ ref, scopes, isPublic, pins, lastPutAt }: ArtifactRecord): Uint8Array {
  return Buffer.from(`${JSON.stringify({ ...ref, scopes, isPublic, pins, lastPutAt })}\n`);
}

/** Undefined for what is no record; the bytes beside it are then kept and unlisted. */
export function parseRecord(text: string): ArtifactRecord | undefined {
  const fields = parseJsonObject(text);
  const ref = fields && toRef(fields);
  if (!ref) return undefined;
  const lastPutAt = isTime(fields.lastPutAt) ? fields.lastPutAt : ref.createdAt;
  const scopes = toScopes(fields.scopes);
  // Records of earlier versions do not say it.
  const isPublic = typeof fields.isPublic === "boolean" ? fields.isPublic : scopes.length === 0;
  return { ref, scopes, isPublic, pins: toList(fields.pins).filter(isText), lastPutAt };
}

function toRef(fields: { readonly [key: string]: Json }): ArtifactRef | undefined {
  const { id, mimeType, bytes, sha256, namespace, filename, width, height, sources, createdAt } = fields;
  if (!isText(id) || !isArtifactId(id) || !isText(mimeType) || !isText(sha256) || !isText(namespace)) return undefined;
  if (typeof bytes !== "number" || !isTime(createdAt)) return undefined;
  return {
    id,
    mimeType,
    bytes,
    sha256,
    namespace,
    filename: isText(filename) ? filename : undefined,
    ...(typeof width === "number" && typeof height === "number" && { width, height }),
    ...(Array.isArray(sources) && { sources: sources.filter(isText) }),
    createdAt,
  };
}

function toScopes(value: Json | undefined): readonly ArtifactScope[] {
  return toList(value)
    .filter(isJsonObject)
    .map(({ sessionId, userId }) => ({ ...(isText(sessionId) && { sessionId }), ...(isText(userId) && { userId }) }));
}

function toList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTime(value: unknown): value is string {
  return isText(value) && !Number.isNaN(Date.parse(value));
}

const ID = /^art_[0-9a-f]{32}$/;
const READABLE_IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Declarations that claim nothing. */
const UNKNOWN_TYPES: ReadonlySet<string> = new Set(["", "application/octet-stream", "image/*"]);

/** Anything else cannot be an id of ours, and never reaches a path. */
export function isArtifactId(id: string): boolean {
  return ID.test(id);
}

/** Rejects with `AgentError` kind `invalid`, code `image_type_mismatch` when the bytes are not what was declared. */
export async function describeArtifact(bytes: Uint8Array, options: PutOptions, nowMs: number): Promise<ArtifactRef> {
  const declared = toMimeType(options.mimeType);
  const header = readImageHeader(bytes);
  const fits = header ? declared === header.mimeType : !READABLE_IMAGES.has(declared);
  if (!fits && !(header && UNKNOWN_TYPES.has(declared))) {
    throw agentError(
      "invalid",
      "image_type_mismatch",
      header
        ? `Declared as ${declared}, but the bytes are ${header.mimeType}: declare it as that.`
        : `Declared as ${declared}, but the bytes are no picture of that type: the file is damaged or something else.`,
    );
  }
  const sha256 = await sha256OfBytes(bytes);
  return {
    id: `art_${sha256.slice(0, 32)}`,
    mimeType: header?.mimeType ?? (declared || "application/octet-stream"),
    bytes: bytes.byteLength,
    sha256,
    namespace: options.namespace,
    filename: options.filename,
    width: header?.width,
    height: header?.height,
    ...(options.sources && { sources: options.sources.slice(0, MAX_SOURCES) }),
    createdAt: new Date(nowMs).toISOString(),
  };
}

/** Hashing more than this on the event loop would be felt. */
const LARGE_BYTES = 1024 * 1024;

async function sha256OfBytes(bytes: Uint8Array): Promise<string> {
  if (bytes.byteLength < LARGE_BYTES) return createHash("sha256").update(bytes).digest("hex");
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)).toString("hex");
}

function toMimeType(declared: string): string {
  const bare = declared.split(";")[0]?.trim().toLowerCase() ?? "";
  return bare === "image/jpg" ? "image/jpeg" : bare;
}
