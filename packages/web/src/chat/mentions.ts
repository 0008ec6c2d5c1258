import { createContext, useContext, useState } from "react";

/** Something on the page that the next sentence is about. */
export interface Mention {
  /** Camera, event or box, and its id: the same thing is mentioned once. */
  readonly key: string;
  /** As it stands in the sentence: "person #12 on street". */
  readonly words: string;
}

/** The sentence with what it is about, as it is sent. */
export function withMentions(text: string, mentions: readonly Mention[]): string {
  return mentions.length === 0 ? text : `${text} (about ${mentions.map(({ words }) => words).join("; ")})`;
}

const MentionContext = createContext<(mention: Mention) => void>(() => undefined);

export const MentionProvider = MentionContext.Provider;

/** Puts something into the sentence that is being written. */
export const useMention = (): ((mention: Mention) => void) => useContext(MentionContext);

/** What the next sentence is about, each thing once. */
export function useMentions() {
  const [list, setList] = useState<readonly Mention[]>([]);
  return {
    list,
    add: (mention: Mention): void => setList((known) => [...known.filter(({ key }) => key !== mention.key), mention]),
    remove: (key: string): void => setList((known) => known.filter((mention) => mention.key !== key)),
  };
}
