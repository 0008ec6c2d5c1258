// an artifact's sources ⇄ the cameras that the picture shows
import type { ArtifactRef, ArtifactStore } from "@vision-agent/agent-core";
import type { CameraNames } from "../workspace/camera-names.ts";

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

/** The store whose pictures are of cameras as they are called now. */
export function withCameraNames(store: ArtifactStore, { nameOf }: Pick<CameraNames, "nameOf">): ArtifactStore {
  const toCurrent = ({ sources, ...ref }: ArtifactRef): ArtifactRef => {
    if (sources === undefined) return ref;
    const rename = (source: string): string =>
      source.startsWith(CAMERA) ? `${CAMERA}${nameOf(source.slice(CAMERA.length), Date.parse(ref.createdAt))}` : source;
    return { ...ref, sources: sources.map(rename) };
  };
  return {
    durable: store.durable,
    put: async (bytes, options) => toCurrent(await store.put(bytes, options)),
    get: (id, scope) => store.get(id, scope),
    async ref(id, scope) {
      const ref = await store.ref(id, scope);
      return ref && toCurrent(ref);
    },
    list: async (filter) => (await store.list(filter)).map(toCurrent),
    remove: (id) => store.remove(id),
    pin: (id, by, scope) => store.pin(id, by, scope),
    unpin: (id, by, scope) => store.unpin(id, by, scope),
    sweep: (retention, now) => store.sweep(retention, now),
  };
}
