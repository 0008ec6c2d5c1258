// ArtifactRecord ↔ the file beside the bytes
import type { ArtifactRef } from "../types/artifact.ts";
import type { ArtifactRecord } from "./artifact-record.ts";
import type { ArtifactScope } from "./artifact-store.ts";
import { isArtifactId } from "./describe-artifact.ts";

type Fields = { readonly [key: string]: unknown };

/** The reference at the top level, so that a file of the first version is a record without holders. */
export function encodeRecord({ ref, scopes, pins, lastPutAt }: ArtifactRecord): Uint8Array {
  return Buffer.from(`${JSON.stringify({ ...ref, scopes, pins, lastPutAt })}\n`);
}

/** Undefined for what is no record; the bytes beside it are then kept and unlisted. */
export function parseRecord(text: string): ArtifactRecord | undefined {
  const fields = parseObject(text);
  const ref = fields && toRef(fields);
  if (!ref) return undefined;
  const lastPutAt = isTime(fields.lastPutAt) ? fields.lastPutAt : ref.createdAt;
  return { ref, scopes: toScopes(fields.scopes), pins: toList(fields.pins).filter(isText), lastPutAt };
}

function toRef(fields: Fields): ArtifactRef | undefined {
  const { id, mimeType, bytes, sha256, namespace, filename, width, height, createdAt } = fields;
  if (!isText(id) || !isArtifactId(id) || !isText(mimeType) || !isText(sha256) || !isText(namespace)) return undefined;
  if (typeof bytes !== "number" || !isTime(createdAt)) return undefined;
  return {
    id,
    mimeType,
    bytes,
    sha256,
    namespace,
    ...(isText(filename) && { filename }),
    ...(typeof width === "number" && typeof height === "number" && { width, height }),
    createdAt,
  };
}

function toScopes(value: unknown): readonly ArtifactScope[] {
  return toList(value)
    .filter(isObject)
    .map(({ sessionId, userId }) => ({ ...(isText(sessionId) && { sessionId }), ...(isText(userId) && { userId }) }));
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTime(value: unknown): value is string {
  return isText(value) && !Number.isNaN(Date.parse(value));
}
