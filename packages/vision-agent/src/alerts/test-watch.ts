// a watch that somebody tries → a real alert, marked as a test, with a current picture
import type { ArtifactStore } from "@vision-agent/agent-core";
import type { WatchTest } from "@vision-agent/protocol";
import { PICTURE_NAMESPACE } from "../store/event-retention.ts";
import { ofCamera, toSources } from "../store/picture-origin.ts";
import { camerasOf } from "../watches/condition-interests.ts";
import { WatchError } from "../watches/watch-error.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import type { CameraRegistry, RegisteredCamera } from "../workspace/camera-registry.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import type { AlertRouter } from "./route-alert.ts";

export interface WatchTestOptions {
  readonly watches: Pick<WatchRegistry, "get">;
  readonly alerts: Pick<AlertRouter, "tell">;
  readonly cameras: Pick<CameraRegistry, "find">;
  readonly artifacts: Pick<ArtifactStore, "put">;
  /** A current picture of a camera. Rejects when there is none. */
  readonly snapshot: (camera: RegisteredCamera, signal: AbortSignal) => Promise<{ readonly jpeg: Uint8Array }>;
  /** Makes a picture as small as those of events are kept. */
  readonly shrink: (bytes: Uint8Array) => Promise<Uint8Array>;
}

/** Rejects with `WatchError` for an unknown watch, or a camera that is not one of the watch. Default camera: its first. */
export type TestWatch = (id: string, camera?: string) => Promise<WatchTest>;

/** A camera that does not open must not keep the alert. */
const PICTURE_TIMEOUT_MS = 15_000;

export function createWatchTest(options: WatchTestOptions): TestWatch {
  const { watches, alerts, artifacts, snapshot, shrink } = options;
  const takePicture = async (name: string): Promise<{ readonly picture?: string; readonly no_picture?: string }> => {
    const camera = options.cameras.find(name);
    if (camera === undefined) return { no_picture: `There is no camera ${name} any more.` };
    try {
      const { jpeg } = await snapshot(camera, AbortSignal.timeout(PICTURE_TIMEOUT_MS));
      const kept = { mimeType: "image/jpeg", namespace: PICTURE_NAMESPACE, sources: toSources(ofCamera(camera.name)) };
      return { picture: (await artifacts.put(await shrink(jpeg), kept)).id };
    } catch (error) {
      return { no_picture: `${camera.name} gives no picture: ${reasonOf(error)}` };
    }
  };
  return async (id, wanted) => {
    const watch = watches.get(id);
    const { words, text, severity } = watch;
    const cameras = camerasOf(watch);
    const camera =
      wanted === undefined ? cameras[0] : cameras.find((name) => name.toLowerCase() === wanted.toLowerCase());
    if (camera === undefined) {
      throw new WatchError("invalid", `The watch ${id} is not on ${wanted}. Its cameras: ${cameras.join(", ")}.`);
    }
    const { picture, no_picture } = await takePicture(camera);
    const says = text === undefined ? "" : ` Its alert would say: ${text}`;
    const { alert, failures } = await alerts.tell({
      text: `Test of the watch "${words}" on ${camera}: nothing happened.${says}`,
      severity,
      camera,
      picture,
      testOf: id,
    });
    return { alert, failures: [...failures], ...(no_picture && { no_picture }) };
  };
}

export function describeTest({ failures, no_picture }: WatchTest): string {
  const shown = no_picture === undefined ? "with a picture" : `without a picture: ${no_picture}`;
  const failed = failures.map(({ channel, reason }) => `\nDelivery through ${channel} failed: ${reason}`).join("");
  return `A test alert was sent to the alert log, ${shown.replace(/\.$/, "")}.${failed}`;
}
