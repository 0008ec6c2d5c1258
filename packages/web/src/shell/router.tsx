import { createRootRoute, createRoute, createRouter, Link, retainSearchParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { LivePage } from "../cameras/live-page.tsx";
import { Empty } from "../look/view-states.tsx";
import { Shell } from "./shell.tsx";

export interface PageSearch {
  /** The conversation in the chat. */
  readonly session?: string;
}

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NoSuchPage,
  validateSearch: ({ session }: Record<string, unknown>): PageSearch =>
    typeof session === "string" && session !== "" ? { session } : {},
  search: { middlewares: [retainSearchParams(["session"])] },
});

const liveRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: () => <LivePage view={{ kind: "first" }} />,
});

const wallRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/cameras",
  component: () => <LivePage view={{ kind: "wall" }} />,
});

const cameraRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/cameras/$name",
  component: CameraPage,
});

function CameraPage(): ReactNode {
  const { name } = cameraRoute.useParams();
  return <LivePage view={{ kind: "camera", name }} />;
}

function NoSuchPage(): ReactNode {
  return (
    <div className="p-4">
      <Empty>
        Page not found.{" "}
        <Link to="/" className="underline underline-offset-2">
          Go to Live
        </Link>
      </Empty>
    </div>
  );
}

export const router = createRouter({ routeTree: rootRoute.addChildren([liveRoute, wallRoute, cameraRoute]) });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
