import type { Camera } from "@vision-agent/protocol";

/** A camera with its full address. The address may hold a password: it never leaves this process. */
export interface RegisteredCamera extends Camera {
  readonly address: string;
}

/** The cameras of `CAMERAS.md`. */
export interface CameraRegistry {
  list(): readonly RegisteredCamera[];
  /** By name, without regard to case. */
  find(name: string): RegisteredCamera | undefined;
}
