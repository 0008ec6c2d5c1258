// what a store knows of an artifact beside its bytes: whose it is, who holds it, when it goes
import type { ArtifactRef } from "../types/artifact.ts";
import { type AgentError, agentError } from "../types/errors.ts";
import { isJsonObject, type Json, parseJsonObject } from "../types/json.ts";
import type { ArtifactFilter, ArtifactScope, Retention } from "./artifact-store.ts";
import { isArtifactId } from "./describe-artifact.ts";

/** The same picture put by ever new sessions must not make its record grow for ever. */
const MAX_SCOPES = 256;

export interface ArtifactRecord {
  readonly ref: ArtifactRef;
  /** Latest last. */
  readonly scopes: readonly ArtifactScope[];
  readonly pins: readonly string[];
  /** ISO 8601. Its age counts from here. */
  readonly lastPutAt: string;
}

export function createRecord(ref: ArtifactRef, scope: ArtifactScope | undefined): ArtifactRecord {
  return { ref, scopes: scope ? [scope] : [], pins: [], lastPutAt: ref.createdAt };
}

/** The same bytes came again at `putAt`, perhaps from somebody else. */
export function putAgain(record: ArtifactRecord, scope: ArtifactScope | undefined, putAt: string): ArtifactRecord {
  if (!scope) return { ...record, lastPutAt: putAt };
  const { sessionId, userId } = scope;
  const others = record.scopes.filter((known) => known.sessionId !== sessionId || known.userId !== userId);
  return { ...record, scopes: [...others, scope].slice(-MAX_SCOPES), lastPutAt: putAt };
}

export function withPin(record: ArtifactRecord, by: string): ArtifactRecord {
  return record.pins.includes(by) ? record : { ...record, pins: [...record.pins, by] };
}

export function withoutPin(record: ArtifactRecord, by: string): ArtifactRecord {
  return { ...record, pins: record.pins.filter((holder) => holder !== by) };
}

/** What fits the filter, oldest first. */
export function listRefs(records: readonly ArtifactRecord[], filter: ArtifactFilter): readonly ArtifactRef[] {
  return records
    .filter(({ ref }) => filter.namespace === undefined || ref.namespace === filter.namespace)
    .filter(({ scopes }) => !filter.scope || scopes.some((scope) => fitsScope(scope, filter.scope ?? {})))
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

function fitsScope(scope: ArtifactScope, wanted: ArtifactScope): boolean {
  return (
    (wanted.sessionId === undefined || wanted.sessionId === scope.sessionId) &&
    (wanted.userId === undefined || wanted.userId === scope.userId)
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The reference at the top level, so that a file of the first version is a record without holders. */
export function encodeRecord({ ref, scopes, pins, lastPutAt }: ArtifactRecord): Uint8Array {
  return Buffer.from(`${JSON.stringify({ ...ref, scopes, pins, lastPutAt })}\n`);
}

/** Undefined for what is no record; the bytes beside it are then kept and unlisted. */
export function parseRecord(text: string): ArtifactRecord | undefined {
  const fields = parseJsonObject(text);
  const ref = fields && toRef(fields);
  if (!ref) return undefined;
  const lastPutAt = isTime(fields.lastPutAt) ? fields.lastPutAt : ref.createdAt;
  return { ref, scopes: toScopes(fields.scopes), pins: toList(fields.pins).filter(isText), lastPutAt };
}

function toRef(fields: { readonly [key: string]: Json }): ArtifactRef | undefined {
  const { id, mimeType, bytes, sha256, namespace, filename, width, height, createdAt } = fields;
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
