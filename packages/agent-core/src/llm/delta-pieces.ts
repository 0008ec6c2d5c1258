// deltas of an answer → the same, with text held back until it is clear what it is
import type { LLMDelta } from "./llm-client.ts";

export type SpokenDelta = Exclude<LLMDelta, { type: "alive" }>;

/** One text that comes in pieces. */
export interface TextPieces {
  /** What can be told by now. */
  take(piece: string): string;
  /** What was held back, at the end of the text. */
  rest(): string;
}

/** Texts, thoughts and arguments of calls, each a text of its own, also where they come by turns. */
export class DeltaPieces {
  readonly #open: () => TextPieces;
  readonly #writing = new Map<string, { last: SpokenDelta; readonly pieces: TextPieces }>();

  constructor(open: () => TextPieces) {
    this.#open = open;
  }

  take(delta: SpokenDelta): readonly SpokenDelta[] {
    const key = delta.type === "tool_args" ? `tool_args ${delta.callId}` : delta.type;
    const writing = this.#writing.get(key) ?? { last: delta, pieces: this.#open() };
    writing.last = delta;
    this.#writing.set(key, writing);
    return withText(delta, writing.pieces.take(delta.type === "tool_args" ? delta.json : delta.text));
  }

  /** At the end of the answer. */
  rest(): readonly SpokenDelta[] {
    const rest = [...this.#writing.values()].flatMap(({ last, pieces }) => withText(last, pieces.rest()));
    this.#writing.clear();
    return rest;
  }
}

function withText(delta: SpokenDelta, text: string): readonly SpokenDelta[] {
  if (text === "") return [];
  return [delta.type === "tool_args" ? { ...delta, json: text } : { ...delta, text }];
}

/** The end of a text that may be the beginning of a data URL. */
const OPEN_HEAD = /(?<![a-z0-9])(?:d|da|dat|data|data:[\w.+/;=-]{0,200})$/i;
/** The same with bytes in it. */
const OPEN_URL = /(?<![a-z0-9])data:[\w.+/;=-]{1,200};base64,[\w+/=-]*$/i;
const ONLY_BYTES = /^[\w+/=-]*$/;
/** No head of a data URL is longer. */
const TAIL_CHARS = 256;

/** VI-13: holds a data URL back until it is whole, so that whoever shows it can see that it is one. */
export function createDataUrlPieces(): TextPieces {
  let held: string[] = [];
  let isUrl = false;
  const release = (): string => {
    const text = held.join("");
    held = [];
    isUrl = false;
    return text;
  };
  return {
    take(piece) {
      if (isUrl && ONLY_BYTES.test(piece)) {
        held.push(piece);
        return "";
      }
      const text = `${release()}${piece}`;
      const url = OPEN_URL.exec(text);
      const from = Math.max(0, text.length - TAIL_CHARS);
      const start = url?.index ?? (OPEN_HEAD.exec(text.slice(from))?.index ?? text.length - from) + from;
      isUrl = url !== null;
      held = [text.slice(start)];
      return text.slice(0, start);
    },
    rest: release,
  };
}
