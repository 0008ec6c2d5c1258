// pictures in view → edits that clear those beyond the bounds
import { selectImages, type VisionContextPolicy } from "../artifacts/vision-policy.ts";
import type { ArtifactRef } from "../types/artifact.ts";
import { clearedBound } from "./context-budget.ts";
import type { ContextView } from "./history.ts";
import { bytesOfImage } from "./message-size.ts";
import { imagesOf } from "./pruning.ts";
import type { PartEdit } from "./view-edits.ts";

export interface ImageBounds {
  readonly policy?: VisionContextPolicy;
  /** Pictures in one request, however often the same. */
  readonly maxImages: number;
  refOf(id: string): ArtifactRef | undefined;
}

/** Newest stay. What was sent before is cleared in batches: one edit for many pictures, not one for each new picture. */
export function planImageClears(view: ContextView, bounds: ImageBounds): readonly PartEdit[] {
  const images = imagesOf(view);
  if (images.length === 0) return [];
  const lastAnswer = view.originals.findLastIndex((message) => message.role === "assistant");
  const unsent = new Set(view.originals.slice(lastAnswer + 1).map((message) => message.id));
  const maxImages = Math.min(bounds.maxImages, bounds.policy?.maxImages ?? bounds.maxImages);
  const isFresh = (image: { readonly messageId: string }): boolean => unsent.has(image.messageId);
  const isAllowed = bounds.policy ? allowedBy(bounds.policy, view, bounds) : () => true;
  const shown = images.filter((image) => isAllowed(image.artifactId, isFresh(image)));
  const fresh = newest(shown.filter(isFresh), maxImages);
  const room = shown.length <= maxImages ? maxImages : clearedBound(maxImages);
  const older = newest(
    shown.filter((image) => !isFresh(image)),
    room - fresh.length,
  );
  const kept = new Set([...fresh, ...older]);
  return images.filter((image) => !kept.has(image)).map(({ artifactId: _id, ...edit }) => edit);
}

/** Complaint 6: oldest first until so many bytes of the body are gone. */
export function planByteClears(
  view: ContextView,
  excessBytes: number,
  refOf: ImageBounds["refOf"],
): readonly PartEdit[] {
  const edits: PartEdit[] = [];
  let left = excessBytes;
  for (const { artifactId, ...edit } of imagesOf(view)) {
    if (left <= 0) break;
    left -= bytesOfImage(refOf(artifactId));
    edits.push(edit);
  }
  return edits;
}

/** VI-17: new ones within the policy; when some have no room, older ones within a tighter one. */
function allowedBy(
  policy: VisionContextPolicy,
  view: ContextView,
  { refOf }: ImageBounds,
): (id: string, isFresh: boolean) => boolean {
  // How many is counted above, where the same picture twice counts twice.
  const select = (maxTotalBytes: number): ReadonlySet<string> =>
    selectImages(view.edited, { ...policy, maxImages: Number.POSITIVE_INFINITY, maxTotalBytes }, refOf);
  const exact = select(policy.maxTotalBytes);
  const fits = select(Number.POSITIVE_INFINITY).size === exact.size;
  const older = fits ? exact : select(clearedBound(policy.maxTotalBytes));
  return (id, isFresh) => (isFresh ? exact : older).has(id);
}

function newest<T>(items: readonly T[], count: number): readonly T[] {
  return count <= 0 ? [] : items.slice(-count);
}
