// bytes + what the caller says they are → a checked reference
import { createHash } from "node:crypto";
import type { ArtifactRef } from "../types/artifact.ts";
import { agentError } from "../types/errors.ts";
import type { PutOptions } from "./artifact-store.ts";
import { readImageHeader } from "./image-header.ts";

const ID = /^art_[0-9a-f]{32}$/;
const READABLE_IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Declarations that claim nothing. */
const UNKNOWN_TYPES: ReadonlySet<string> = new Set(["", "application/octet-stream", "image/*"]);

/** Anything else cannot be an id of ours, and never reaches a path. */
export function isArtifactId(id: string): boolean {
  return ID.test(id);
}

/** Throws `AgentError` kind `invalid`, code `image_type_mismatch` when the bytes are not what was declared. */
export function describeArtifact(bytes: Uint8Array, options: PutOptions, nowMs: number): ArtifactRef {
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
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    id: `art_${sha256.slice(0, 32)}`,
    mimeType: header?.mimeType ?? (declared || "application/octet-stream"),
    bytes: bytes.byteLength,
    sha256,
    namespace: options.namespace,
    filename: options.filename,
    width: header?.width,
    height: header?.height,
    createdAt: new Date(nowMs).toISOString(),
  };
}

function toMimeType(declared: string): string {
  const bare = declared.split(";")[0]?.trim().toLowerCase() ?? "";
  return bare === "image/jpg" ? "image/jpeg" : bare;
}
