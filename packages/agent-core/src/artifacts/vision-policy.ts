// all pictures of a conversation → those that the model is shown
import type { ArtifactRef, ImagePart, Message, Part, VisionContextItem } from "../types/message.ts";

/** Stands for every tool in `allowedSources`. */
const ANY_SOURCE = "*";

/** VI-17: which pictures the model is shown. The others stay in the transcript, and their place says so. */
export interface VisionContextPolicy {
  /** False shows none that a tool made; those that a person attached are shown still. */
  readonly enabled: boolean;
  /** In one request, whoever they come from. More costs tokens and time. */
  readonly maxImages: number;
  /** Of their bytes as stored, together; the wire adds a third. */
  readonly maxTotalBytes: number;
  /** VA-12: longest side in pixels of a tool's picture as it is sent, where the host gives an `ImagePreparer`. */
  readonly maxEdge: number;
  /** Names or tags of tools whose pictures are shown; `*` is all of them. */
  readonly allowedSources: readonly string[];
  readonly allowMimeTypes: readonly string[];
  /** Of each tool only so many, the latest. Absent keeps all. */
  readonly keepLatestPerSource?: number;
  /** Tags of a tool, for `allowedSources`. Must not throw. */
  tagsOf?(toolName: string): readonly string[];
}

/** The latest 20 pictures of anybody, within 20 MiB. More than 20 make providers ask for smaller ones. */
export const DEFAULT_VISION_POLICY: VisionContextPolicy = {
  enabled: true,
  maxImages: 20,
  maxTotalBytes: 20 * 1024 * 1024,
  maxEdge: 640,
  allowedSources: [ANY_SOURCE],
  allowMimeTypes: ["image/png", "image/jpeg", "image/gif", "image/webp"],
};

/**
 * VI-17, VI-18: newest first, within the bounds of the policy. One that does not fit is passed over for smaller, older ones.
 * One that `refOf` does not know counts no bytes, and is shown as what it is: gone.
 */
export function toVisionContext(
  messages: readonly Message[],
  policy: VisionContextPolicy,
  refOf: (id: string) => ArtifactRef | undefined,
): readonly VisionContextItem[] {
  const shown: VisionContextItem[] = [];
  let bytesLeft = policy.maxTotalBytes;
  for (const { part, ...where } of listCandidates(messages, policy, refOf)) {
    const bytes = refOf(part.artifactId)?.bytes ?? 0;
    if (shown.length >= policy.maxImages || bytes > bytesLeft) continue;
    bytesLeft -= bytes;
    shown.push({ artifactId: part.artifactId, ...where });
  }
  return shown;
}

/** VI-18: the pictures of tools in these messages, oldest first. */
export function toolImagesOf(messages: readonly Message[]): readonly VisionContextItem[] {
  const images: VisionContextItem[] = [];
  for (const { id: messageId, parts } of messages) {
    for (const part of parts) {
      if (part.type !== "tool_result") continue;
      for (const item of part.content) {
        if (item.type === "image") images.push({ artifactId: item.artifactId, messageId, toolName: part.toolName });
      }
    }
  }
  return images;
}

/** Ids of the pictures that the model is shown. */
export function selectImages(
  messages: readonly Message[],
  policy: VisionContextPolicy,
  refOf: (id: string) => ArtifactRef | undefined,
): ReadonlySet<string> {
  return new Set(toVisionContext(messages, policy, refOf).map(({ artifactId }) => artifactId));
}

interface PlacedImage {
  readonly part: ImagePart;
  readonly messageId: string;
  readonly toolName?: string;
}

/** Each picture once, newest first, and of each tool no more than it may show. */
function listCandidates(
  messages: readonly Message[],
  policy: VisionContextPolicy,
  refOf: (id: string) => ArtifactRef | undefined,
): readonly PlacedImage[] {
  const images = messages.flatMap((message) => message.parts.flatMap((part) => imagesIn(part, message.id))).reverse();
  const seen = new Set<string>();
  const perTool = new Map<string, number>();
  const isAllowed = ({ part, toolName }: PlacedImage): boolean => {
    if (!policy.allowMimeTypes.includes(refOf(part.artifactId)?.mimeType ?? part.mimeType)) return false;
    if (toolName === undefined) return true;
    const names = [ANY_SOURCE, toolName, ...(policy.tagsOf?.(toolName) ?? [])];
    return policy.enabled && names.some((name) => policy.allowedSources.includes(name));
  };
  return images.filter((image) => {
    const { part, toolName } = image;
    if (seen.has(part.artifactId) || !isAllowed(image)) return false;
    const fromTool = toolName === undefined ? 0 : (perTool.get(toolName) ?? 0) + 1;
    if (fromTool > (policy.keepLatestPerSource ?? fromTool)) return false;
    if (toolName !== undefined) perTool.set(toolName, fromTool);
    seen.add(part.artifactId);
    return true;
  });
}

function imagesIn(part: Part, messageId: string): readonly PlacedImage[] {
  if (part.type === "image") return [{ part, messageId }];
  if (part.type !== "tool_result") return [];
  const { toolName } = part;
  return part.content.flatMap((item) => (item.type === "image" ? [{ part: item, messageId, toolName }] : []));
}
