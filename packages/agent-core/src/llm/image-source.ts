// an image part → its bytes, or the words that stand in its place
import { agentError } from "../types/errors.ts";
import type { Warn } from "../types/events.ts";
import type { ImagePart, Part, ToolResultPart } from "../types/message.ts";
import { toDataBlock } from "./data-block.ts";
import type { ImageBytes, ModelProfile } from "./llm-client.ts";

/** Makes a picture fit the model. An image preparer is one. Gives small ones back as they are; throws for what it cannot read. */
export interface ImageFitter {
  prepare(
    bytes: Uint8Array,
    options: {
      readonly mimeType: string;
      /** Longest side in pixels. */
      readonly maxEdge: number;
      readonly maxBytes: number;
      readonly allow: readonly string[];
    },
  ): Promise<{ readonly bytes: Uint8Array; readonly mimeType: string }>;
}

/** What a request is put into a provider's words with. */
export interface WireContext<P extends ModelProfile = ModelProfile> {
  /** VI-6: read at the last moment before the wire. */
  readonly images: { readonly bytes: ImageBytes | undefined; readonly fitter: ImageFitter | undefined };
  readonly profile: P;
  readonly warn: Warn;
}

type ShownImage =
  | { readonly kind: "bytes"; readonly mimeType: string; readonly base64: string }
  /** What is shown in place of the picture. */
  | { readonly kind: "text"; readonly text: string };

const MEDIA_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const NO_LIMITS = { imageBytes: Number.POSITIVE_INFINITY, imageEdge: Number.POSITIVE_INFINITY };

/** VI-11: a picture that cannot be shown becomes words and a warning. Throws `client_no_vision` when the call brought no source. */
export async function readImage(part: ImagePart, { images, profile, warn }: WireContext): Promise<ShownImage> {
  const name = part.alt ?? part.filename ?? part.artifactId;
  if (!profile.supportsVision) {
    warn("image_not_shown", `${profile.id} cannot see, so pictures were left out.`);
    return { kind: "text", text: `[image not shown, this model cannot see images: ${name}]` };
  }
  if (!images.bytes) {
    const message =
      "The call came without `artifacts`, so pictures cannot be shown. Pass an artifact store in its context.";
    throw agentError("capability", "client_no_vision", message);
  }
  const found = await images.bytes.get(part.artifactId);
  if (!found) {
    warn("image_unavailable", `The picture "${name}" is no longer there and was not shown to the model.`);
    return { kind: "text", text: `[image unavailable: ${name}; ask for it to be attached again]` };
  }
  const limits = profile.limits ?? NO_LIMITS;
  const fitted = await makeFit(found, part, images.fitter, limits);
  if (!fitted || fitted.bytes.byteLength > limits.imageBytes || !MEDIA_TYPES.includes(fitted.mimeType)) {
    warn("image_unfit", `The picture "${name}" is too large or of a kind that ${profile.id} does not take.`);
    return { kind: "text", text: `[image not shown, too large or of another kind: ${name}]` };
  }
  const { buffer, byteOffset, byteLength } = fitted.bytes;
  const base64 = Buffer.from(buffer, byteOffset, byteLength).toString("base64");
  return { kind: "bytes", mimeType: fitted.mimeType, base64 };
}

async function makeFit(
  bytes: Uint8Array,
  part: ImagePart,
  fitter: ImageFitter | undefined,
  limits: { readonly imageBytes: number; readonly imageEdge: number },
): Promise<{ readonly bytes: Uint8Array; readonly mimeType: string } | undefined> {
  const { mimeType } = part;
  if (!fitter) return { bytes, mimeType };
  const { imageEdge: maxEdge, imageBytes: maxBytes } = limits;
  try {
    return await fitter.prepare(bytes, { mimeType, maxEdge, maxBytes, allow: MEDIA_TYPES });
  } catch {
    // The warning that follows names the picture; the bytes must not be quoted.
    return undefined;
  }
}

/** The words of a text or a state note as every wire writes them; empty for blank text and any other part. */
export function spokenWords(part: Part): string {
  if (part.type === "state_note") {
    const name = part.untrusted ? "untrusted" : "state";
    return part.text === "" ? "" : toDataBlock(name, part.text);
  }
  return part.type === "text" && part.text.trim() !== "" ? part.text : "";
}

/** The parts of a result as every wire sends them: words from outside stand in a block that they cannot close. */
export function resultContent({ content, toolName, untrusted }: ToolResultPart): ToolResultPart["content"] {
  if (!untrusted) return content;
  return content.map((item) =>
    item.type === "text" && item.text.trim() !== ""
      ? { ...item, text: toDataBlock("untrusted", item.text, toolName) }
      : item,
  );
}
