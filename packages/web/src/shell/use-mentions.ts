import { useState } from "react";
import type { Mention } from "../chat/mentions.ts";

export interface Mentions {
  readonly list: readonly Mention[];
  add(mention: Mention): void;
  remove(key: string): void;
}

/** What the next sentence is about, each thing once. */
export function useMentions(): Mentions {
  const [list, setList] = useState<readonly Mention[]>([]);
  return {
    list,
    add: (mention) => setList((known) => [...known.filter(({ key }) => key !== mention.key), mention]),
    remove: (key) => setList((known) => known.filter((mention) => mention.key !== key)),
  };
}
