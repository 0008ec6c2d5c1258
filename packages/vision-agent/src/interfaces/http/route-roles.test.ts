import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GUARDED_HOST, type GuardedApp, openGuardedApp } from "../../testing/signed-in.ts";

/** Everything else is for owners. Whoever adds a route here has thought about what it tells. */
const OPEN = ["GET /healthz", "HEAD /healthz", "GET /login", "POST /api/login"];
const VIEWER = [
  "POST /api/logout",
  "GET /api/stream",
  "GET /api/cameras/:name/live",
  ...[
    "/api/me",
    "/api/cameras",
    "/api/cameras/:name",
    "/api/cameras/:name/snapshot.jpg",
    "/api/cameras/:name/places",
    "/api/cameras/:name/places/:place",
    "/api/mode",
    "/api/pipelines",
    "/api/pipelines/:id",
    "/api/pipelines/:id/results",
    "/api/watches",
    "/api/watches/:id",
    "/api/events",
    "/api/events/:id",
    "/api/events/:id/clip.mp4",
    "/api/events/:id/picture.jpg",
    "/api/visits",
    "/api/visits/:id",
    "/api/alerts",
    "/api/why",
    "/api/artifacts/:id",
  ].flatMap((url) => [`GET ${url}`, `HEAD ${url}`]),
];

describe("every route of the server, hidden ones included", () => {
  let app: GuardedApp;
  let routes: readonly string[];
  beforeAll(async () => {
    app = await openGuardedApp();
    await app.server.ready();
    routes = routesOf(app.server.printRoutes({ commonPrefix: false }));
  });
  afterAll(() => app.server.close());

  const statusOf = async (route: string, sender: keyof GuardedApp["senders"]): Promise<number | "a stream"> => {
    const [method = "", url = ""] = route.split(" ");
    const path = url.replace(/:\w+/g, "none").replace("*", "/a/b");
    const headers = { host: GUARDED_HOST, ...app.senders[sender] };
    // What streams without an end was let in.
    const signal = AbortSignal.timeout(1500);
    const answer = app.server.inject({ method: method as "GET", url: path, headers, signal });
    return answer.then(
      ({ statusCode }) => statusCode,
      (error: unknown) => {
        if (signal.aborted) return "a stream";
        throw error;
      },
    );
  };

  it("is known: each one of the document, and the tables above hold no other", async () => {
    const { paths } = (
      await app.server.inject({ url: "/api/openapi.json", headers: { host: GUARDED_HOST, ...app.senders.program } })
    ).json() as { paths: Record<string, Record<string, unknown>> };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
    );
    expect(documented.length).toBeGreaterThan(50);
    expect(documented.filter((route) => !routes.includes(route))).toEqual([]);
    expect([...OPEN, ...VIEWER].filter((route) => !routes.includes(route))).toEqual([]);
    expect(routes).toContain("GET /api/openapi.json");
  });

  it("is closed without a login, unless it is one of the open ones", async () => {
    const answers = await Promise.all(routes.map(async (route) => [route, await statusOf(route, "nobody")] as const));
    const letIn = answers.filter(([, status]) => status !== 401).map(([route]) => route);
    expect(letIn.sort()).toEqual([...OPEN].sort());
    // No name and no password is a bad request, not a way in.
    expect(new Map(answers).get("POST /api/login")).toBe(400);
  });

  it("is closed for a viewer, unless it shows what a viewer may see", async () => {
    const ownOnly = routes.filter((route) => !OPEN.includes(route) && !VIEWER.includes(route));
    const answers = await Promise.all(ownOnly.map(async (route) => [route, await statusOf(route, "viewer")] as const));
    expect(answers.filter(([, status]) => status !== 403)).toEqual([]);
    const seen = VIEWER.filter((route) => route !== "POST /api/logout");
    const allowed = await Promise.all(seen.map(async (route) => [route, await statusOf(route, "viewer")] as const));
    expect(allowed.filter(([, status]) => status === 401 || status === 403)).toEqual([]);
  });

  it.each(["owner", "program"] as const)("is open for the %s", async (sender) => {
    const all = routes.filter((route) => route !== "POST /api/logout");
    const answers = await Promise.all(all.map(async (route) => [route, await statusOf(route, sender)] as const));
    expect(answers.filter(([, status]) => status === 401 || status === 403)).toEqual([]);
  });
});

/** The tree that the router prints → `GET /api/x/:id`, one for each method. */
function routesOf(tree: string): readonly string[] {
  const parents: string[] = [];
  return tree.split("\n").flatMap((line) => {
    const [, indent = "", piece = "", methods = ""] = /^([│ ]*)[├└]── (\S+)(?: \(([\w, ]+)\))?$/.exec(line) ?? [];
    if (piece === "") return [];
    const level = indent.length / 4;
    const url = `${level === 0 ? "" : parents[level - 1]}${piece}`;
    parents.splice(level, parents.length, url);
    return methods === "" ? [] : methods.split(", ").map((method) => `${method} ${url}`);
  });
}
