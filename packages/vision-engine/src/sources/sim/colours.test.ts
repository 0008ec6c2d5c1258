import type { Colour } from "@vision-agent/protocol";
import { expect, it } from "vitest";
import { boxAt } from "../../geometry/boxes.ts";
import { colourOfBox } from "../../pixels/box-colour.ts";
import type { Actor } from "./scene.ts";
import { createSceneRenderer } from "./scene-renderer.ts";
import { street } from "./street/street.ts";

const SIZE = { width: 960, height: 540 };

it.each<[string, Colour]>([
  ["#c0392b", "red"],
  ["#2e6db4", "blue"],
  ["#f2f2ee", "white"],
  ["#e9b93a", "yellow"],
  ["#3f8f4f", "green"],
])("S000-5 is that of a car painted %s, wherever it drives", async (paint, colour) => {
  const renderer = await createSceneRenderer({ scene: street, ...SIZE, seed: 1 });
  const cars = [0, 20, 40, 60].flatMap((second) => street.actorsAt(second, 1)).filter(isCar);
  const seen = cars.map((car) => {
    const { rgba, truth } = renderer.render({ actors: [{ ...car, paint }], time: "" });
    return truth.length === 0 ? [] : [colourOfBox({ rgba, ...SIZE }, boxAt(truth.xyxy, 0), "car")];
  });
  expect(seen.flat().length).toBeGreaterThan(2);
  expect(new Set(seen.flat())).toEqual(new Set([colour]));
});

function isCar(actor: Actor): actor is Extract<Actor, { kind: "vehicle" }> {
  return actor.kind === "vehicle" && actor.model !== "truck";
}
