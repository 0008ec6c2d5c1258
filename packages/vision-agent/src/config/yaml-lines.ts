// a YAML text → its value, and the line on which each part of it stands
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";

type Path = readonly PropertyKey[];

export interface YamlLines {
  /** Null for an empty text. */
  readonly value: unknown;
  /** What is no YAML; lines are counted from 1. */
  readonly errors: readonly { readonly line: number; readonly message: string }[];
  /** Undefined for what is not written there. */
  lineOf(path: Path): number | undefined;
}

export function parseYamlLines(text: string): YamlLines {
  const lines = new LineCounter();
  // Pretty errors would quote the line, and the line may hold a key.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  return {
    value: document.errors.length > 0 ? undefined : document.toJS(),
    errors: document.errors.map(({ pos, message }) => ({ line: lines.linePos(pos[0]).line, message })),
    lineOf(path) {
      const marker = markerIn(document.getIn(path.slice(0, -1), true), path.at(-1));
      return isNode(marker) && marker.range ? lines.linePos(marker.range[0]).line : undefined;
    },
  };
}

/** The item of a list, or the key of a group. */
function markerIn(parent: unknown, name: PropertyKey | undefined): unknown {
  if (isSeq(parent)) return parent.items[Number(name)];
  if (!isMap(parent)) return undefined;
  return parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(name))?.key;
}
