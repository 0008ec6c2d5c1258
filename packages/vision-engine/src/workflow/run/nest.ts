import { EngineError } from "../../errors.ts";

/** A list of lists of … as deep as an output is. */
export type Nest = unknown[];

/** `level` lists in each other, the innermost empty. */
export function emptyNest(level: number): Nest {
  return level <= 1 ? [] : [emptyNest(level - 1)];
}

/** Room for elements at these indices, null in every place; absent when there are none. */
export function nestFor(indices: readonly (readonly number[])[]): Nest | undefined {
  const [first] = indices;
  if (first === undefined) return undefined;
  const depth = first.length;
  const length = Math.max(...indices.map((index) => index[0]!)) + 1;
  if (depth === 1) return new Array(length).fill(null);
  const children: (readonly number[])[][] = Array.from({ length }, () => []);
  for (const [at, ...rest] of indices) children[at!]!.push(rest);
  return children.map((own) => nestFor(own) ?? emptyNest(depth - 1));
}

/** Puts a value at its index. Throws `EngineError` when there is no such place. */
export function placeInNest(nest: Nest, index: readonly number[], value: unknown): void {
  let list: unknown = nest;
  for (let depth = 0; depth < index.length; depth++) {
    const at = index[depth]!;
    if (!Array.isArray(list)) throw noPlace("TypeError", index);
    if (at >= list.length) throw noPlace("IndexError", index);
    if (depth === index.length - 1) list[at] = value;
    else list = list[at];
  }
}

function noPlace(type: string, index: readonly number[]): EngineError {
  return new EngineError({ kind: "internal", type, message: `There is no place ${index.join(", ")} in the output.` });
}
