// pieces of text → whole sentences, and beginnings that need not wait for their end
import { HOUSE_NOUNS } from "./claim-words.data.ts";

/** A sentence with the white space after it. */
export interface Sentence {
  readonly text: string;
  /** What of it was not given out before. */
  readonly rest: string;
}

export interface SentenceSplitter {
  /** Sentences that are whole now. */
  push(text: string): readonly Sentence[];
  /** Words of the sentence under way, as long as nothing in it can become a claim. */
  takeHarmless(): string;
  /** What is left at the end of the text. */
  end(): readonly Sentence[];
}

const BOUNDARY = /\n+|[.!?…]+["')\]*_]*\s+/;
/** Whoever acts, what is acted on, and the words for having acted. A number or a class is none of these. */
const TRIGGER = new RegExp(
  `\\b(?:i|we|you|it|its|this|that|these|those|they|everything|all|both|done|ok|okay|sure|great|perfect|alright|consider|sorted|taken|no longer|will|now|${HOUSE_NOUNS})\\b|['’]|\\w{3}ed\\b|\\w{2}ing\\b|\\b(?:set|put|shut|made|got|off|live|sent|begun|began|spun|got|let|told|took)\\b|[-_]\\w|[*\`]`,
  "i",
);

/** A claim has shown itself by then, or the words before it can stand alone. */
const FEWEST_WORDS = 4;

export function createSentenceSplitter(): SentenceSplitter {
  let pending = "";
  let given = 0;
  const cut = (length: number): Sentence => {
    const sentence = { text: pending.slice(0, length), rest: pending.slice(given, length) };
    pending = pending.slice(length);
    given = Math.max(0, given - length);
    return sentence;
  };
  return {
    push(text) {
      pending += text;
      const whole: Sentence[] = [];
      for (;;) {
        const match = BOUNDARY.exec(pending);
        // White space at the very end may go on.
        if (match === null || match.index + match[0].length === pending.length) return whole;
        whole.push(cut(match.index + match[0].length));
      }
    },
    takeHarmless() {
      const until = pending.search(/\S*$/);
      const begun = pending.slice(0, until);
      if (until <= given || begun.split(" ").length <= FEWEST_WORDS || TRIGGER.test(begun)) return "";
      const ready = pending.slice(given, until);
      given = until;
      return ready;
    },
    end() {
      return pending === "" ? [] : [cut(pending.length)];
    },
  };
}
