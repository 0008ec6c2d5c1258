// an artifact's sources ⇄ the cameras that the picture shows
import type { ArtifactRef } from "@vision-agent/agent-core";

/** Where a picture comes from. */
export interface PictureOrigin {
  /** Names of the cameras that took it; empty when a person gave it. */
  readonly cameras: readonly string[];
}

/** A picture that a person handed in: an upload, a file or an address that they named. */
export const GIVEN: PictureOrigin = { cameras: [] };

export function ofCamera(camera: string): PictureOrigin {
  return { cameras: [camera] };
}

const CAMERA = "camera:";
const BY_A_PERSON = "given";
/** Where agent-core keeps what people attach. */
const UPLOADS = "input_image";

/** For `sources` of an artifact. */
export function toSources({ cameras }: PictureOrigin): readonly string[] {
  return cameras.length === 0 ? [BY_A_PERSON] : cameras.map((camera) => `${CAMERA}${camera}`);
}

/** Undefined when nobody knows, as for pictures that an older version kept. A camera outweighs a person: it took the picture. */
export function originOf(ref: Pick<ArtifactRef, "sources" | "namespace"> | undefined): PictureOrigin | undefined {
  const sources = ref?.sources ?? [];
  const cameras = sources.filter((one) => one.startsWith(CAMERA)).map((one) => one.slice(CAMERA.length));
  if (cameras.length > 0) return { cameras };
  return sources.includes(BY_A_PERSON) || ref?.namespace === UPLOADS ? GIVEN : undefined;
}
