import { isAddress } from "../workspace/camera-address.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";

/** The camera's own spelling, or the address as it is; undefined when it is neither. */
export function findVideoReference(cameras: CameraRegistry, reference: string): string | undefined {
  return cameras.find(reference)?.name ?? (isAddress(reference) ? reference : undefined);
}

/** A sentence that names the cameras there are. */
export function unknownCamera(cameras: Pick<CameraRegistry, "list">, name: string): string {
  return `There is no camera called "${name}". ${namedCameras(cameras)}`;
}

function namedCameras(cameras: Pick<CameraRegistry, "list">): string {
  const names = cameras.list().map(({ name }) => name);
  return names.length === 0 ? "No cameras are set up in CAMERAS.md." : `Cameras: ${names.join(", ")}.`;
}
