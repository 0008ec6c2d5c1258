import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Alert, Camera } from "@vision-agent/protocol";
import { type ReactNode, useState } from "react";
import { useApp } from "../api/app-context.ts";
import { alertsQuery, camerasQuery, eventsQuery, pipelinesQuery } from "../api/queries.ts";
import { Empty, Loading, Problem } from "../look/view-states.tsx";
import { AlertRow } from "./alert-row.tsx";
import { CameraView } from "./camera-view.tsx";
import { CameraWall } from "./camera-wall.tsx";
import { EventStrip } from "./event-strip.tsx";
import { type Moment, MomentDialog } from "./moment-dialog.tsx";

/** What of the cameras is shown. */
export type LiveView =
  | { readonly kind: "first" }
  | { readonly kind: "camera"; readonly name: string }
  | { readonly kind: "wall" };

/** Live: one camera large, or all of them; below it what happened. */
export function LivePage({ view }: { readonly view: LiveView }): ReactNode {
  const { api } = useApp();
  const cameras = useQuery(camerasQuery(api));
  if (cameras.data === undefined) {
    return (
      <div className="p-4">
        {cameras.isError ? (
          <Problem message={cameras.error.message} onRetry={() => void cameras.refetch()} />
        ) : (
          <Loading reason="Loading the cameras…" />
        )}
      </div>
    );
  }
  return <LiveCameras cameras={cameras.data} view={view} />;
}

interface LiveCamerasProps {
  readonly cameras: readonly Camera[];
  readonly view: LiveView;
}

function LiveCameras({ cameras, view }: LiveCamerasProps): ReactNode {
  const { api } = useApp();
  const pipelines = useQuery(pipelinesQuery(api)).data ?? [];
  const events = useQuery(eventsQuery(api));
  const alerts = useQuery(alertsQuery(api)).data ?? [];
  const [opened, setOpened] = useState<Moment>();
  const camera = cameraOf(cameras, view);
  const all = events.data ?? [];
  const here = camera === undefined ? all : all.filter((event) => event.camera === camera.name);

  return (
    <div className="flex flex-col gap-2 p-3 wide:h-full wide:px-5 wide:pt-2">
      {cameras.length > 1 && <CameraTabs cameras={cameras} shown={camera?.name} />}
      {camera !== undefined && <CameraView key={camera.name} camera={camera} pipelines={pipelines} events={all} />}
      {view.kind === "wall" && cameras.length > 0 && <CameraWall cameras={cameras} pipelines={pipelines} />}
      {view.kind === "camera" && camera === undefined && (
        <Empty>
          There is no camera called {view.name}.{" "}
          <Link to="/cameras" className="underline underline-offset-2">
            Show all cameras
          </Link>
        </Empty>
      )}
      {view.kind !== "camera" && cameras.length === 0 && (
        <Empty>No cameras yet. Add one in the chat, or list it in CAMERAS.md in the workspace.</Empty>
      )}
      <AlertRow
        alerts={alerts}
        onOpen={(alert) => setOpened(all.find(({ id }) => id === alert.event_id) ?? toMoment(alert))}
      />
      {events.isError ? (
        <Problem message={events.error.message} onRetry={() => void events.refetch()} />
      ) : (
        <EventStrip events={here} onOpen={setOpened} />
      )}
      <MomentDialog opened={opened} events={here} onShow={setOpened} />
    </div>
  );
}

/** An alert outlives the list of events; its own words and picture then tell the moment. */
function toMoment({ id, event_id = id, timestamp, camera, text, picture }: Alert): Moment {
  return { id: event_id, timestamp, camera, text, picture };
}

function cameraOf(cameras: readonly Camera[], view: LiveView): Camera | undefined {
  switch (view.kind) {
    case "first":
      return cameras[0];
    case "camera":
      return cameras.find(({ name }) => name === view.name);
    case "wall":
      return undefined;
  }
}

interface CameraTabsProps {
  readonly cameras: readonly Camera[];
  /** The camera that is large; undefined at the wall. */
  readonly shown: string | undefined;
}

function CameraTabs({ cameras, shown }: CameraTabsProps): ReactNode {
  return (
    <nav aria-label="Cameras" className="overflow-x-auto">
      <ul className="flex gap-1">
        {cameras.map(({ name }, index) => (
          <li key={name}>
            <Link
              to="/cameras/$name"
              params={{ name }}
              {...tabLook(name === shown)}
              {...(index < 9 && keyOf(String(index + 1)))}
            >
              {name}
            </Link>
          </li>
        ))}
        <li>
          <Link to="/cameras" {...tabLook(shown === undefined)} {...keyOf("0")}>
            All cameras
          </Link>
        </li>
      </ul>
    </nav>
  );
}

/** A digit beside a name would read as a count, so the key is told on hover. */
function keyOf(key: string): { readonly title: string; readonly "aria-keyshortcuts": string } {
  return { title: `Press ${key}`, "aria-keyshortcuts": key };
}

function tabLook(isShown: boolean): { readonly className: string; readonly "aria-current"?: "page" } {
  const look = "block min-h-7 whitespace-nowrap rounded-base px-2.5 py-1 text-small hover:bg-pressed";
  return isShown
    ? { className: `${look} bg-pressed font-semibold`, "aria-current": "page" }
    : { className: `${look} text-muted` };
}
