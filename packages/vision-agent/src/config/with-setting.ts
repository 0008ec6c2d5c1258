// config.yaml + one value → config.yaml, every other byte as it was
import { isMap, isScalar, parseDocument } from "yaml";

export interface Setting {
  readonly group: string;
  readonly key: string;
  readonly value: string;
}

/** Adds a group with one key at the end. Undefined when the group is there: those lines are the person's to change. */
export function withSetting(text: string, { group, key, value }: Setting): string | undefined {
  const { contents } = parseDocument(text);
  if (isMap(contents) && contents.has(group)) {
    return contents.getIn([group, key]) === value ? text : undefined;
  }
  return withGroup(text, group, `${key}: ${JSON.stringify(value)}`);
}

/** The same with this value, added or replaced. Undefined where that cannot be done without touching other lines. */
export function withValue(
  text: string,
  { group, key, value }: { readonly group: string; readonly key: string; readonly value: number | null },
): string | undefined {
  const { contents, errors } = parseDocument(text);
  if (errors.length > 0) return undefined;
  const written = JSON.stringify(value);
  if (contents !== null && (!isMap(contents) || (contents.flow && !contents.has(group)))) return undefined;
  if (contents === null || !contents.has(group)) return withGroup(text, group, `${key}: ${written}`);
  const present = contents.getIn([group, key], true);
  if (isScalar(present) && present.range) {
    const [from, to] = present.range;
    return from === to ? undefined : `${text.slice(0, from)}${written}${text.slice(to)}`;
  }
  const map = contents.get(group, true);
  const first = isMap(map) ? map.items[0]?.key : undefined;
  if (!isMap(map) || !isScalar(first) || !first.range || map.has(key)) return undefined;
  const [at] = first.range;
  const indent = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  // In braces as JSON has it, too.
  const added = map.flow ? `${JSON.stringify(key)}: ${written}, ` : `${key}: ${written}\n${indent}`;
  return `${text.slice(0, at)}${added}${text.slice(at)}`;
}

function withGroup(text: string, group: string, line: string): string {
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${gap}\n${group}:\n  ${line}\n`;
}
