// watches, what happened, and why somebody was told of it or not
import {
  alertSchema,
  currentModeSchema,
  modeChangeSchema,
  type WatchReport,
  watchChangeSchema,
  watchReplayRequestSchema,
  watchReplaySchema,
  watchRequestSchema,
  watchStatusSchema,
  watchTestSchema,
  whySchema,
} from "@vision-agent/protocol";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import { type Identity, seesAll, seesCamera } from "../../access/identity.ts";
import { modeEffect, watchEffect } from "../../tools/effects.ts";
import { unknownCamera } from "../../tools/known-source.ts";
import { camerasOf as shownCameras } from "./camera-routes.ts";
import type { HttpParts } from "./http-parts.ts";
import { notFound } from "./http-problem.ts";
import type { AddRoute } from "./route.ts";
import { seesAlert, seesWatch } from "./seen-alerts.ts";

export function addWatchRoutes(
  route: AddRoute,
  { watches, why, cameras, clock, modes, testWatch, replayWatch, undo }: HttpParts,
): void {
  const change = (who: Identity, kind: "created" | "changed" | "removed", work: () => Promise<WatchReport>) =>
    undo.during(who.name, work, (watch) => [watchEffect(kind, watch)]);
  const answer = watchStatusSchema;
  const listed = { about: "Watches with how they are doing", answer: z.array(answer) };
  route("GET /api/watches", { ...listed, role: "viewer" }, ({ who }) =>
    watches.list().filter((one) => seesWatch(who, one)),
  );

  route(
    "POST /api/watches",
    {
      about: "Watch from now on, also after a restart; places are fractions of the picture",
      body: watchRequestSchema,
      answer,
      status: 201,
    },
    ({ body, who }) => change(who, "created", () => watches.create(body)),
  );

  route("GET /api/watches/:id", { about: "One watch", answer, role: "viewer" }, ({ id, who }) => {
    const watch = watches.get(id);
    if (!seesWatch(who, watch)) throw notFound(`There is no watch ${id}.`);
    return watch;
  });
  const changed = "Change some of a watch: what is left out stays, null takes something away";
  route("PATCH /api/watches/:id", { about: changed, body: watchChangeSchema, answer }, ({ id, body, who }) =>
    change(who, "changed", () => watches.update(id, body)),
  );
  route("DELETE /api/watches/:id", { about: "Watch no longer", answer }, ({ id, who }) =>
    change(who, "removed", () => watches.remove(id)),
  );
  for (const verb of ["pause", "resume"] as const) {
    route(`POST /api/watches/:id/${verb}`, { about: `${verb} a watch`, answer }, ({ id, who }) =>
      change(who, "changed", () => watches.setEnabled(id, verb === "resume")),
    );
  }

  const previewed = "How often a watch, or a change of one, would have told on a clip or a period; changes nothing";
  const replay = { about: previewed, answer: watchReplaySchema };
  const untilLeft = (reply: FastifyReply): AbortSignal => {
    const left = new AbortController();
    reply.raw.once("close", () => left.abort());
    return left.signal;
  };
  route("POST /api/watches/preview", { ...replay, body: watchReplayRequestSchema }, ({ body }, reply) =>
    replayWatch(body, untilLeft(reply)),
  );
  const ofOne = watchReplayRequestSchema.omit({ watch: true });
  route("POST /api/watches/:id/preview", { ...replay, body: ofOne }, ({ id, body }, reply) =>
    replayWatch({ ...body, watch: watches.get(id).id }, untilLeft(reply)),
  );

  const tested = "Send an alert of a watch now, marked as a test, with a current picture of a camera of the watch";
  const body = z.object({ camera: z.string().optional() });
  route("POST /api/watches/:id/test", { about: tested, body, answer: watchTestSchema }, ({ id, body: { camera } }) =>
    testWatch(id, camera),
  );

  const mode = currentModeSchema;
  route("GET /api/mode", { about: "The mode that is on", answer: mode, role: "viewer" }, () => modes.current());
  const set = "Set the mode (home, away, night or an own name), or the times at which it changes";
  route("PUT /api/mode", { about: set, body: modeChangeSchema, answer: mode }, ({ body, who }) =>
    undo.during(
      who.name,
      () => modes.change(body),
      (now) => [modeEffect(now)],
    ),
  );

  route(
    "GET /api/why",
    {
      about:
        "Why somebody was told, or not, about a camera around a time (within a minute; default now): for each watch the gates it passed, the first that said no with its figures, and the least change that flips it",
      query: {
        camera: z.string(),
        at: z.iso.datetime({ offset: true }).optional(),
        watch: z.string().optional(),
      },
      answer: whySchema,
      role: "viewer",
    },
    async ({ query, who }) => {
      const camera = cameras.find(query.camera)?.name;
      if (camera === undefined || !seesCamera(who, camera)) {
        throw notFound(unknownCamera(shownCameras(cameras, who), query.camera));
      }
      if (query.watch !== undefined && !seesWatch(who, watches.get(query.watch))) {
        throw notFound(`There is no watch ${query.watch}.`);
      }
      const at = new Date(query.at ?? clock.now()).toISOString();
      const answer = await why.explain({ camera, at, watch: query.watch });
      const seen = new Set(watches.list().flatMap((watch) => (seesWatch(who, watch) ? watch.id : [])));
      return { ...answer, watches: answer.watches.filter(({ watch_id }) => seen.has(watch_id)) };
    },
  );
}

const MOST_ALERTS = 1000;

export function addAlertRoutes(route: AddRoute, { alerts, watches }: HttpParts): void {
  const limit = z.coerce.number().int().min(1).max(MOST_ALERTS).default(100);
  const told = { about: "Alerts, newest first", query: { limit }, answer: z.array(alertSchema) };
  route("GET /api/alerts", { ...told, role: "viewer" }, ({ query: { limit: most }, who }) =>
    alerts
      .list(seesAll(who) ? most : MOST_ALERTS)
      .filter((alert) => seesAlert(who, alert, watches))
      .slice(0, most),
  );
}
