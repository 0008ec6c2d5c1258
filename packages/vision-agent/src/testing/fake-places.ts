// named places and the mode, for tests
import type { CameraPlace, CurrentMode } from "@vision-agent/protocol";
import type { Modes } from "../watches/open-modes.ts";
import { PlaceError, type PlaceStore } from "../workspace/place-store.ts";

/** Those that are given are on every camera. */
export function fakePlaces(...given: readonly CameraPlace[]): Pick<PlaceStore, "list" | "find" | "set" | "remove"> {
  const keyOf = (name: string): string => name.trim().toLowerCase();
  const places = new Map(given.map((place) => [keyOf(place.name), place]));
  return {
    list: () => [...places.values()],
    find: (_camera, name) => places.get(keyOf(name)),
    async set(_camera, wanted) {
      const place = { ...wanted, name: places.get(keyOf(wanted.name))?.name ?? wanted.name };
      places.set(keyOf(place.name), place);
      return place;
    },
    async remove(camera, name) {
      const place = places.get(keyOf(name));
      if (place === undefined) throw new PlaceError("not_found", `${camera} has no place called ${name}.`);
      places.delete(keyOf(name));
      return place;
    },
  };
}

export function fakeModes(): Modes {
  let current: CurrentMode = { mode: "home", set_by: "default", schedule: [] };
  return {
    current: () => current,
    at: () => current.mode,
    async change(change) {
      current = { ...current, ...change };
      return current;
    },
  };
}
