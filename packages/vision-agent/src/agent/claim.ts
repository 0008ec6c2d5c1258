import type { ClaimKind } from "./claim-words.data.ts";

/** What a sentence says was done. */
export interface Claim {
  readonly kind: ClaimKind;
  /**
   * `turn`: done in this turn. `state`: how things are. `earlier`: done before, as far as the sentence says.
   */
  readonly scope: "turn" | "state" | "earlier";
  /** It is being done ("I am stopping it") rather than done. */
  readonly going: boolean;
  /** The clause, in small letters: the names in it are what the claim is about. */
  readonly clause: string;
}

/** Words between a subject and its verb that change nothing. */
export const ADVERB =
  "(?: (?:just|now|already|also|both|all|then|successfully|finally|currently|officially|immediately|automatically|indeed|again|since|safely|all|\\w+ly))*";

/** The clause takes back what it says, or only speaks of it. */
export const NOT =
  /\b(?:not|never|nothing|none|nobody|neither|nor|cannot|could|can|would|should|might|must|if|unless|whether|until|unable|fail(?:s|ed)|without|be|shall|before|once|when|whenever|while|after|as soon as|tr(?:y|ied|ying)|attempted|going to|about to|need(?:s|ed)? to|have to|want(?:s|ed)?|how|why|what)\b|n't\b|\bno\b(?! longer)/;

/** It was not done in this turn. */
export const EARLIER =
  /\b(?:yesterday|earlier|ago|previously|already|originally|overnight|last (?:night|week|time|month|year|\w+day)|this (?:morning|afternoon|evening)|on \w+day|at startup|before (?:that|then)|back then|since)\b/;
