import { Link } from "@tanstack/react-router";
import type { Camera, PipelineStatus } from "@vision-agent/protocol";
import { type ReactNode, useMemo } from "react";
import { StateSign } from "./camera-header.tsx";
import { cameraWords, isSimulated, pipelinesOn } from "./camera-state.ts";
import { LIVE_CONNECTIONS } from "./live-connection.ts";
import { LivePicture } from "./live-picture.tsx";
import { useLiveCamera } from "./use-live-camera.ts";

const LARGEST_WALL = 9;

export interface CameraWallProps {
  readonly cameras: readonly Camera[];
  readonly pipelines: readonly PipelineStatus[];
}

/** Up to nine cameras at once; each opens large. */
export function CameraWall({ cameras, pipelines }: CameraWallProps): ReactNode {
  const shown = cameras.slice(0, LARGEST_WALL);
  const columns = shown.length <= 4 ? "wide:grid-cols-2" : "wide:grid-cols-3";
  return (
    <>
      <h1 className="sr-only">All cameras</h1>
      {cameras.length > LARGEST_WALL && (
        <p className="text-muted text-small">
          Showing the first {LARGEST_WALL} of {cameras.length} cameras. Open the others from the row above.
        </p>
      )}
      <ul className={`grid gap-3 wide:min-h-0 wide:flex-1 wide:auto-rows-fr ${columns}`}>
        {shown.map((camera) => (
          <CameraTile
            key={camera.name}
            camera={camera}
            pipelines={pipelines}
            takeTurns={shown.length > LIVE_CONNECTIONS}
          />
        ))}
      </ul>
    </>
  );
}

interface CameraTileProps {
  readonly camera: Camera;
  readonly pipelines: readonly PipelineStatus[];
  readonly takeTurns: boolean;
}

function CameraTile({ camera, pipelines, takeTurns }: CameraTileProps): ReactNode {
  const here = useMemo(() => pipelinesOn(camera, pipelines), [camera, pipelines]);
  const shapes = useMemo(() => here.flatMap(({ shapes: drawn }) => drawn), [here]);
  const live = useLiveCamera(camera.name, takeTurns, shapes);
  const words = cameraWords(live.picture, here);
  return (
    <li className="flex min-h-0 flex-col gap-1">
      <LivePicture camera={camera} live={live} shapes={shapes} />
      <p className="flex min-h-6 items-center gap-3 text-small">
        <Link
          to="/cameras/$name"
          params={{ name: camera.name }}
          className="inline-flex min-h-6 items-center font-semibold underline-offset-2 hover:underline"
        >
          {camera.name}
        </Link>
        <StateSign words={words} />
        {isSimulated(here) && <span className="text-muted">simulated detector</span>}
      </p>
    </li>
  );
}
