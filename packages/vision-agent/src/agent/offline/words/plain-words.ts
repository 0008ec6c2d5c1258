// a person's text → lower-case words, with addresses and model names kept aside

/** What must keep its spelling: `@a0` stands for the first address in the text, `@m0` for the first model. */
export interface Literals {
  readonly addresses: readonly string[];
  readonly models: readonly string[];
  readonly quoted: readonly QuotedName[];
}

export interface QuotedName {
  readonly text: string;
  /** The words around it, lower case, which tell what it names. */
  readonly before: string;
  readonly after: string;
}

const ADDRESS =
  /\b(?:rtsps?|rtmp|https?|sim|file):\/\/[^\s'"<>]+|(?<![\w@])webcam:\d+|(?<![\w@/.~])(?:~?\.{0,2}\/)?(?:[\w.-]+\/)*[\w.-]+\.(?:mp4|avi|mkv|mov|webm|m4v|jpe?g|png|bmp|webp)\b/;
/** `workspace/project/3`; shorter ones only after a word that says what they are. */
const MODEL =
  /(?<![\w/.])[a-z][\w-]*\/[a-z][\w-]*\/\d+(?![\w/])|(?<=\b(?:run|use|apply|try|with|using|deploy) )(?:[a-z][\w-]*\/\d+|(?:yolo|rf-?detr)[\w-]*)(?![\w/])|(?<=\bmodels? (?:called |named )?)[a-z][\w-]*(?:\/[\w-]+|\d[\w-]*)/;
const LITERAL = new RegExp(`(?<address>${ADDRESS.source})|(?<model>${MODEL.source})|@(?!v\\d)`, "gi");

/** Takes addresses and models out of the text and leaves a mark in their place. */
export function readLiterals(text: string): { readonly text: string; readonly literals: Literals } {
  const addresses: string[] = [];
  const models: string[] = [];
  const marked = text.replace(LITERAL, (found, ...rest) => {
    const groups = rest.at(-1) as { readonly address?: string; readonly model?: string };
    const [, kept = "", tail = ""] = /^(.*?)([.,;:!?)]*)$/s.exec(found) ?? [];
    if (groups.address !== undefined) return `@a${addresses.push(kept) - 1}${tail}`;
    if (groups.model !== undefined) return `@m${models.push(kept) - 1}${tail}`;
    return " ";
  });
  return { text: marked, literals: { addresses, models, quoted: readQuoted(marked) } };
}

/** "A car's been there", "a van's parked there": things that have or are, no owner. */
const NOUN = "\\b(?!what|who|where|how|there|that|here|when|it|he|she|let|one)([a-z]{3,})'s";
const HAS = new RegExp(`${NOUN} (been|got|gone|come)\\b`, "g");
const IS = new RegExp(
  `${NOUN} (standing|sitting|sat|stood|parked|stuck|waiting|lying|loitering|hanging|walking|coming|crossing|leaving)\\b`,
  "g",
);

/** Lower case; quotes and sentence marks go, what can be part of a name, a time or a number stays. */
export function toPlainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[’‘`]/g, "'")
    .replace(/\b(what|who|where|how|there)s\b/g, "$1's")
    .replace(/\b(i|we|you|he|she|they|it|that)'d\b/g, "$1 would")
    .replace(/\b(i|we|you|they|what|who|there)'ve\b/g, "$1 have")
    .replace(/\b(we|you|they)'re\b/g, "$1 are")
    .replace(/\bi'?m\b/g, "i am")
    .replace(HAS, "$1 has $2")
    .replace(IS, "$1 is $2")
    .replace(/\b(do|does|did|is|are|was|has|have|ca|wo)nt\b/g, "$1n't")
    .replace(/\b(wan|gon)na\b/g, (_, verb: string) => (verb === "wan" ? "want to" : "going to"))
    .replace(/\b(gim|lem)me\b/g, (_, verb: string) => (verb === "gim" ? "give me" : "let me"))
    .replace(/\bpl[sz]\b/g, "please")
    .replace(/\br u\b/g, "are you")
    .replace(/\bu\b/g, "you")
    .replace(/\b(?:tonite|2nite)\b/g, "tonight")
    .replace(/>=|≥/g, " at least ")
    .replace(/(?<!-)>/g, " more than ")
    .replace(/<(?!=)/g, " fewer than ")
    .replace(/\b([ap])\. ?m\b\.?/g, "$1m")
    .replace(/(?<!\d):|:(?!\d)/g, " ")
    .replace(/[^\p{L}\p{N}'_.:@-]+|\.(?=\s|$)/gu, " ")
    .replace(/(^|\s)'+|'+(?=\s|$)/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** `text` without these words, or what the pattern finds first. */
export function without(text: string, pattern: RegExp | string): string {
  return text.replace(pattern, " ").replace(/\s+/g, " ").trim();
}

export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function readQuoted(text: string): readonly QuotedName[] {
  const found = text.matchAll(/(?<![\p{L}\p{N}])(['"“‘`])([^'"”’`]{1,80})['"”’`](?![\p{L}\p{N}])/gu);
  return [...found].map((match) => {
    const end = match.index + match[0].length;
    return {
      text: (match[2] ?? "").trim(),
      before: toPlainWords(text.slice(Math.max(0, match.index - 40), match.index)),
      after: toPlainWords(text.slice(end, end + 24)),
    };
  });
}
