import type { Camera, PipelineStatus, SceneEvent } from "@vision-agent/protocol";
import { type ReactNode, useMemo } from "react";
import { useMention } from "../chat/mentions.ts";
import { CameraHeader } from "./camera-header.tsx";
import { cameraWords, downSince, isSimulated, pipelinesOn } from "./camera-state.ts";
import { nameOf } from "./frame-reading.ts";
import { LivePicture } from "./live-picture.tsx";
import { useLiveCamera } from "./use-live-camera.ts";

export interface CameraViewProps {
  readonly camera: Camera;
  readonly pipelines: readonly PipelineStatus[];
  readonly events: readonly SceneEvent[];
}

/** One camera, large. */
export function CameraView({ camera, pipelines, events }: CameraViewProps): ReactNode {
  const mention = useMention();
  const here = useMemo(() => pipelinesOn(camera, pipelines), [camera, pipelines]);
  const shapes = useMemo(() => here.flatMap(({ shapes: drawn }) => drawn), [here]);
  const live = useLiveCamera(camera.name, false, shapes);
  return (
    <>
      <CameraHeader
        camera={camera}
        words={cameraWords(live.picture, here)}
        pipelines={here}
        downSince={downSince(camera.name, here, events)}
      />
      <LivePicture
        camera={camera}
        live={live}
        shapes={shapes}
        onPick={(box) => {
          const words = `${nameOf(box)} on camera ${camera.name}`;
          mention({ key: words, words });
        }}
      />
      <p className="min-h-5 text-muted text-small">
        <WhatIsLookedFor pipelines={here} />
      </p>
    </>
  );
}

/** What finds the boxes; a stand-in is never left unsaid. */
function WhatIsLookedFor({ pipelines }: { readonly pipelines: readonly PipelineStatus[] }): ReactNode {
  if (pipelines[0] === undefined) return "Nothing is being detected on this camera. Say in the chat what to look for.";
  if (!isSimulated(pipelines)) return pipelines[0].workflow_description;
  return (
    <span data-testid="simulated">
      <strong className="font-semibold text-text">Simulated detector</strong>: the boxes come from the scene's script,
      not from a model.
    </span>
  );
}
