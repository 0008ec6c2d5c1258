// named zones and lines of a camera
import { cameraPlaceSchema, placeNameSchema } from "@vision-agent/protocol";
import { z } from "zod";
import { type Identity, seesCamera } from "../../access/identity.ts";
import { placeEffect } from "../../tools/effects.ts";
import { unknownCamera } from "../../tools/known-source.ts";
import { placesOn } from "../../watches/condition-interests.ts";
import { camerasOf } from "./camera-routes.ts";
import type { HttpParts } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";
import type { AddRoute } from "./route.ts";

const [zone, line] = cameraPlaceSchema.options;
/** The name stands in the address. */
const bodySchema = z.union([zone.omit({ name: true }), line.omit({ name: true })]);

export function addPlaceRoutes(route: AddRoute, { cameras, places, watches, undo }: HttpParts): void {
  const cameraOf = (name: string, who: Identity): string => {
    const camera = cameras.find(name);
    if (camera !== undefined && seesCamera(who, camera.name)) return camera.name;
    throw notFound(unknownCamera(camerasOf(cameras, who), name));
  };
  /** The watches on this camera that speak of it. */
  const mustBeFree = (camera: string, place: string): void => {
    const known = places.find(camera, place);
    const used = watches
      .list()
      .filter((watch) => known && placesOn(watch, camera).some(({ name }) => places.find(camera, name) === known));
    if (used.length === 0) return;
    const names = used.map(({ id, words }) => `${id} "${words}"`).join(", ");
    throw new HttpProblem(409, "in_use", `${place} is used by ${names}.`, "Change or remove these watches first.");
  };

  const listed = { about: "Zones and lines of a camera that have a name", answer: z.array(cameraPlaceSchema) };
  route("GET /api/cameras/:name/places", { ...listed, role: "viewer" }, ({ name, who }) =>
    places.list(cameraOf(name, who)),
  );

  const answer = cameraPlaceSchema;
  const one = { about: "One zone or line of a camera", answer, role: "viewer" } as const;
  route("GET /api/cameras/:name/places/:place", one, ({ name, place, who }) => {
    const camera = cameraOf(name, who);
    const found = places.find(camera, place);
    if (found === undefined) throw notFound(`${camera} has no place called ${place}.`);
    return found;
  });

  route(
    "PUT /api/cameras/:name/places/:place",
    {
      about:
        "Name a zone or line of a camera, or move the one of that name (case and blanks make no difference): its watches follow; points are fractions of the picture",
      body: bodySchema,
      answer,
    },
    ({ name, place, body, who }) => {
      const camera = cameraOf(name, who);
      const called = placeNameSchema.safeParse(place);
      if (!called.success) throw new HttpProblem(422, "invalid", `A place takes ${called.error.issues[0]?.message}.`);
      const before = places.find(camera, place);
      if (before !== undefined && before.kind !== body.kind) mustBeFree(camera, place);
      return undo.during(
        who.name,
        () => places.set(camera, { ...body, name: called.data }),
        (saved) => [placeEffect(before === undefined ? "saved" : "changed", camera, saved.name)],
      );
    },
  );

  const gone = { about: "Take the name of a zone or line away; not while a watch uses it", answer };
  route("DELETE /api/cameras/:name/places/:place", gone, ({ name, place, who }) => {
    const camera = cameraOf(name, who);
    mustBeFree(camera, place);
    return undo.during(
      who.name,
      () => places.remove(camera, place),
      (removed) => [placeEffect("removed", camera, removed.name)],
    );
  });
}
