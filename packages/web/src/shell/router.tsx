import { createRootRoute, createRoute, createRouter, Link, retainSearchParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { LivePage } from "../cameras/live-page.tsx";
import { ListPage, type ListPageProps } from "../lists/list-page.tsx";
import { Empty } from "../look/view-states.tsx";
import { Shell } from "./shell.tsx";

export interface PageSearch {
  /** The conversation in the chat. */
  readonly session?: string;
  /** Words that a list is searched for. */
  readonly q?: string;
}

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NoSuchPage,
  validateSearch: ({ session, q }: Record<string, unknown>): PageSearch => ({
    ...(typeof session === "string" && session !== "" && { session }),
    ...(typeof q === "string" && q !== "" && { q }),
  }),
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

/** Where the links of receipts lead; an id after it marks one of the list. */
const LIST_PAGES = {
  "/watches": "watches",
  "/alerts": "alerts",
  "/jobs": "jobs",
  "/notes": "notes",
  "/settings/cameras": "cameras",
} as const satisfies Readonly<Record<string, ListPageProps["list"]>>;

const listRoutes = Object.entries(LIST_PAGES).flatMap(([path, list]) =>
  [path, `${path}/$id`].map((address) => {
    const route = createRoute({
      getParentRoute: () => rootRoute,
      path: address,
      component: () => {
        const { id }: { readonly id?: string } = route.useParams();
        return <ListPage list={list} shown={id} query={rootRoute.useSearch().q} />;
      },
    });
    return route;
  }),
);

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

export const router = createRouter({
  routeTree: rootRoute.addChildren([liveRoute, wallRoute, cameraRoute, ...listRoutes]),
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
