// pictures that a person attached → checked → stored → references
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { AgentError, agentError } from "../types/errors.ts";
import type { ArtifactRef, ImageDetail, ImagePart } from "../types/message.ts";
import type { ArtifactRegistry } from "./artifact-registry.ts";
import type { ArtifactScope, ArtifactStore } from "./artifact-store.ts";
import { readImageHeader } from "./image-header.ts";

/** VI-2: a picture as bytes, as a file of this machine, or as an artifact that is stored already. */
export type VisionInput =
  | {
      readonly bytes: Uint8Array;
      /** `image/*` and `application/octet-stream` leave it to the bytes. */
      readonly mediaType: string;
      readonly detail?: ImageDetail;
      readonly filename?: string;
    }
  /** Never taken from somebody far away: whoever names the path must be allowed to read it. The type is read from the bytes. */
  | { readonly path: string; readonly detail?: ImageDetail }
  | { readonly artifactId: string; readonly detail?: ImageDetail };

/** What may be attached to one message. */
export interface VisionInputLimits {
  /** Default 20. */
  readonly maxImages: number;
  /** Of one picture. Default 20 MiB. */
  readonly maxBytes: number;
  /** Default PNG, JPEG, GIF and WebP. */
  readonly allowMimeTypes: readonly string[];
}

/** Twenty pictures of 20 MiB, of the types that models take. */
export const DEFAULT_VISION_INPUT_LIMITS: VisionInputLimits = {
  maxImages: 20,
  maxBytes: 20 * 1024 * 1024,
  allowMimeTypes: ["image/png", "image/jpeg", "image/gif", "image/webp"],
};

/** Where pictures go. */
export interface VisionInputDeps {
  readonly store: ArtifactStore;
  readonly scope: ArtifactScope;
  /** VI-5: told of every picture, so that a UI can show it. */
  readonly registry?: Pick<ArtifactRegistry, "register">;
  readonly limits?: Partial<VisionInputLimits>;
}

/** VI-5: where attached pictures are kept. */
export const INPUT_IMAGE_NAMESPACE = "input_image";

interface Checked {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly filename?: string;
}

/**
 * VI-2, VI-4, VI-5: all are checked before the first is stored; parts and references come in the order of the inputs.
 * Throws `AgentError` kind `invalid`, code `too_many_images`, `image_too_large`, `image_type_unsupported`,
 * `image_type_mismatch`, `image_unreadable` or `unknown_artifact`, with a message that says what to do.
 */
export async function storeVisionInputs(
  inputs: readonly VisionInput[],
  deps: VisionInputDeps,
): Promise<{ readonly parts: readonly ImagePart[]; readonly refs: readonly ArtifactRef[] }> {
  const limits = { ...DEFAULT_VISION_INPUT_LIMITS, ...deps.limits };
  if (inputs.length > limits.maxImages) {
    throw agentError(
      "invalid",
      "too_many_images",
      `${inputs.length} pictures are attached; at most ${limits.maxImages} go with one message. Send the rest in another.`,
    );
  }
  const { store, scope } = deps;
  const namespace = INPUT_IMAGE_NAMESPACE;
  const checked: Checked[] = [];
  for (const input of inputs) checked.push(await check(input, deps, limits));
  const refs: ArtifactRef[] = [];
  for (const { bytes, mimeType, filename } of checked) {
    // What is stored already belongs to this session from now on, too.
    const ref = await store.put(bytes, { mimeType, filename, namespace, scope });
    deps.registry?.register(ref, { reason: "input", ...scope });
    refs.push(ref);
  }
  const parts = refs.map(({ id: artifactId, mimeType, filename }, at): ImagePart => {
    return { type: "image", artifactId, mimeType, detail: inputs[at]?.detail, filename };
  });
  return { refs, parts };
}

async function check(input: VisionInput, deps: VisionInputDeps, limits: VisionInputLimits): Promise<Checked> {
  if ("artifactId" in input) return findStored(input.artifactId, deps, limits);
  if ("path" in input) {
    const filename = basename(input.path);
    const bytes = await readPicture(input.path, limits.maxBytes);
    return { bytes, mimeType: typeOf(bytes, `The file ${filename}`, limits), filename };
  }
  const name = input.filename ?? "The attached picture";
  assertSize(input.bytes.byteLength, name, limits.maxBytes);
  typeOf(input.bytes, name, limits);
  // The store compares what was declared with the bytes.
  const { bytes, mediaType: mimeType, filename } = input;
  return { bytes, mimeType, filename };
}

/** What belongs to somebody else is as unknown as what does not exist. */
async function findStored(id: string, { store, scope }: VisionInputDeps, limits: VisionInputLimits): Promise<Checked> {
  const ref = await store.ref(id, scope);
  const bytes = ref?.mimeType.startsWith("image/") ? await store.get(id, scope) : undefined;
  if (!ref || !bytes) {
    throw agentError("invalid", "unknown_artifact", `There is no picture with the id "${id}". Attach its bytes again.`);
  }
  assertAllowed(ref.mimeType, `The picture ${id}`, limits);
  assertSize(ref.bytes, `The picture ${id}`, limits.maxBytes);
  return { bytes, mimeType: ref.mimeType, filename: ref.filename };
}

async function readPicture(path: string, maxBytes: number): Promise<Uint8Array> {
  const name = `The file ${basename(path)}`;
  try {
    // Before it is opened: opening a pipe would wait for its writer.
    if (!(await stat(path)).isFile()) throw agentError("invalid", "image_unreadable", `${name} is no regular file.`);
    await using file = await open(path, "r");
    const { size } = await file.stat();
    assertSize(size, name, maxBytes);
    return await file.readFile();
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    const why = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown";
    const message = `${name} cannot be read (${why}). Check that it exists and that this program may read it.`;
    throw agentError("invalid", "image_unreadable", message, { cause: thrown });
  }
}

function assertSize(size: number, name: string, maxBytes: number): void {
  if (size === 0) throw agentError("invalid", "image_unreadable", `${name} is empty.`);
  if (size <= maxBytes) return;
  throw agentError(
    "invalid",
    "image_too_large",
    `${name} has ${size} bytes; at most ${maxBytes} are taken. Make it smaller.`,
  );
}

function typeOf(bytes: Uint8Array, name: string, limits: VisionInputLimits): string {
  const mimeType = readImageHeader(bytes)?.mimeType;
  assertAllowed(mimeType ?? "of an unknown type", name, limits);
  return mimeType ?? "";
}

function assertAllowed(mimeType: string, name: string, { allowMimeTypes }: VisionInputLimits): void {
  if (allowMimeTypes.includes(mimeType)) return;
  const taken = allowMimeTypes.join(", ");
  throw agentError(
    "invalid",
    "image_type_unsupported",
    `${name} is ${mimeType}. Convert it to one of ${taken}, and attach it again.`,
  );
}
