// detections → the same with other class names and ids
import { type Detections, withColumns } from "../../frames/detections.ts";
import { queryError } from "../query-error.ts";
import { isDictionary, typeNameOf } from "../query-value.ts";

export interface ClassRenaming {
  /** Old name → new name. */
  readonly classMap: unknown;
  /** Every class must be in the map; ids are then the places of the new names in the alphabet. */
  readonly strict: unknown;
  /** Id of the first new name when not strict. */
  readonly firstNewId: number;
}

export function renameClasses(detections: Detections, { classMap, strict, firstNewId }: ClassRenaming): Detections {
  if (!isDictionary(classMap)) {
    throw queryError("InvalidInputTypeError", `"class_map" must be a dictionary, not a ${typeNameOf(classMap)}.`);
  }
  if (typeof strict !== "boolean") {
    throw queryError("InvalidInputTypeError", `"strict" must be true or false, not a ${typeNameOf(strict)}.`);
  }
  const map = new Map(Object.entries(classMap).map(([from, to]) => [from, String(to)]));
  const names = detections.data.class_name as readonly string[] | undefined;
  if (strict) refuseUnmapped(detections.length, names, map);
  if (names === undefined) return detections;
  const ids = strict ? alphabeticalIds(map) : extendedIds(detections, names, map, firstNewId);
  const renamed = names.map((name) => map.get(name) ?? name);
  return withColumns(detections, { class_name: renamed }).with({
    classId: Int32Array.from(renamed, (name) => ids.get(name)!),
  });
}

function refuseUnmapped(length: number, names: readonly string[] | undefined, map: ReadonlyMap<string, string>): void {
  if (names === undefined && length > 0) {
    throw queryError("OperationError", "The detections have no class names, so not all of them can be mapped.");
  }
  const missing = names?.find((name) => !map.has(name));
  if (missing !== undefined) throw queryError("OperationError", `The class "${missing}" is not in "class_map".`);
}

function alphabeticalIds(map: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  return new Map([...new Set(map.values())].sort().map((name, id) => [name, id]));
}

function extendedIds(
  { classId }: Detections,
  names: readonly string[],
  map: ReadonlyMap<string, string>,
  firstNewId: number,
): ReadonlyMap<string, number> {
  const ids = new Map(names.map((name, row) => [name, classId?.[row] ?? -1]));
  const added = [...new Set(map.values())].filter((name) => !ids.has(name)).sort();
  for (const [at, name] of added.entries()) ids.set(name, firstNewId + at);
  return ids;
}
