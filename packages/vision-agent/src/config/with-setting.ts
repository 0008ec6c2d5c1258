// config.yaml + one value → config.yaml, every other byte as it was
import { isMap, parseDocument } from "yaml";

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
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${gap}\n${group}:\n  ${key}: ${JSON.stringify(value)}\n`;
}
