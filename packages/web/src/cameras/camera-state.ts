// pipelines, connection and arrivals → what is said about a camera
import type { Camera, PipelineState, PipelineStatus, SceneEvent } from "@vision-agent/protocol";
import type { ConnectionState } from "../api/keep-connected.ts";

export type CameraTone = "ok" | "wait" | "down";

/** One word or two, and a sentence where there is more to say. */
export interface CameraWords {
  readonly tone: CameraTone;
  readonly label: string;
  readonly detail?: string;
}

export interface PictureState {
  readonly connection: ConnectionState;
  /** Frames per second as they were drawn here; 0 when none came lately. */
  readonly fps: number;
  /** True once a picture was drawn since the page opened. */
  readonly seen: boolean;
}

const OVER: readonly PipelineState[] = ["stopped", "ended"];
const TROUBLED: readonly PipelineState[] = ["reconnecting", "failed"];

/** Pipelines on this camera that are not over, newest first. */
export function pipelinesOn(camera: Camera, pipelines: readonly PipelineStatus[]): readonly PipelineStatus[] {
  return pipelines
    .filter(({ video_reference, status }) => isOn(camera, video_reference) && !OVER.includes(status))
    .sort((one, other) => other.started_at.localeCompare(one.started_at));
}

export function cameraWords(picture: PictureState, pipelines: readonly PipelineStatus[]): CameraWords {
  const troubled = pipelines.find(({ status }) => TROUBLED.includes(status));
  if (troubled !== undefined) {
    return {
      tone: troubled.status === "failed" ? "down" : "wait",
      label: troubled.status,
      detail: troubled.reason,
    };
  }
  if (picture.connection.kind === "lost") {
    return { tone: "wait", label: "reconnecting", detail: picture.connection.reason };
  }
  if (picture.fps > 0) return { tone: "ok", label: `live ${picture.fps.toFixed(1)} fps` };
  if (picture.seen) return { tone: "wait", label: "no new picture" };
  return { tone: "wait", label: "connecting" };
}

/** True when a stand-in finds the boxes, which must never pass for a real model. */
export function isSimulated(pipelines: readonly PipelineStatus[]): boolean {
  return pipelines.some(({ models }) => models.some((model) => model.startsWith("sim/")));
}

/**
 * Since when a camera is down, from the newest of its down and up events. Undefined while none of its pipelines has
 * trouble: after a restart the camera may be back without an event that says so.
 */
export function downSince(
  camera: string,
  pipelines: readonly PipelineStatus[],
  events: readonly SceneEvent[],
): string | undefined {
  if (!pipelines.some(({ status }) => TROUBLED.includes(status))) return undefined;
  const newest = events
    .filter((event) => event.camera === camera && (event.kind === "camera_down" || event.kind === "camera_up"))
    .sort((one, other) => other.timestamp.localeCompare(one.timestamp))[0];
  return newest?.kind === "camera_down" ? newest.timestamp : undefined;
}

function isOn(camera: Camera, videoReference: string): boolean {
  return videoReference === camera.name || videoReference === camera.source;
}
