// sections of a prompt, chosen by mode → system blocks and the state of the moment
import type { SystemBlock } from "../llm/llm-client.ts";
import { agentError } from "../types/errors.ts";
import { createCharCounter, cutToTokens, type TokenCounter } from "./token-counter.ts";

/** VA-14: one piece of the prompt. */
export interface PromptSection {
  readonly id: string;
  /**
   * `static` is rendered once, `session` at the start of each run, and must not change within a session.
   * `volatile` never enters the system prompt: it is told at the end, where it costs no cache.
   */
  readonly stability: "static" | "session" | "volatile";
  /** Higher comes first, and is cut last. */
  readonly priority: number;
  /** Of a `volatile` one: text from outside, told in a note of its own that counts as untrusted. Default false. */
  readonly untrusted?: boolean;
  /** VA-15: what is longer is cut, and says so. Default 4 000. */
  readonly maxTokens?: number;
  /** SC-5: absent is in every mode. A run without a mode has the empty one. */
  when?(mode: string): boolean;
  /** Empty text leaves the section out. */
  render(mode: string): Promise<string> | string;
}

/** A section that had to be cut, or left out for want of room. */
export interface PromptWarning {
  readonly code: "prompt_cut" | "prompt_left_out";
  readonly section: string;
  /** For people. */
  readonly message: string;
}

/** Limits of a prompt as a whole. */
export interface PromptSectionsOptions {
  /** Tokens of all blocks of the system prompt together. Default: no limit. */
  readonly maxTokens?: number;
  readonly counter?: TokenCounter;
  /** Called at each rendering. Must not throw. */
  onWarning?(warning: PromptWarning): void;
}

/** AI-21: the prompt is built apart from the loop. Volatile text is appended to the user's message as a state note. */
export interface PromptSource {
  /** `mode` is that of the run. The same for the whole of a session, or the cache is lost. */
  system(mode?: string): Promise<readonly SystemBlock[]>;
  /** What changes from message to message. */
  state(mode?: string): Promise<string>;
  /** The part of it that comes from outside. */
  outside?(mode?: string): Promise<string>;
}

type Rendered = { readonly section: PromptSection; readonly text: string };

const DEFAULT_MAX_TOKENS = 4_000;

/** Throws `AgentError` kind `invalid`, code `duplicate_section`, for two sections with one id. */
export function createPromptSections(
  sections: readonly PromptSection[],
  options: PromptSectionsOptions = {},
): PromptSource {
  const { counter = createCharCounter(), maxTokens = Number.POSITIVE_INFINITY, onWarning = () => undefined } = options;
  const twice = sections.find((one, at) => sections.findIndex(({ id }) => id === one.id) !== at);
  if (twice) {
    throw agentError("invalid", "duplicate_section", `Two sections of the prompt are called "${twice.id}".`);
  }
  const ordered = sections.toSorted((a, b) => b.priority - a.priority);
  const kept = new Map<string, Rendered>();

  const renderOne = async (section: PromptSection, mode: string): Promise<Rendered> => {
    const key = `${section.id} ${mode}`;
    const known = kept.get(key);
    if (known) return known;
    const rendered = { section, text: await section.render(mode) };
    if (section.stability === "static") kept.set(key, rendered);
    return rendered;
  };
  const render = async (mode: string, isWanted: (section: PromptSection) => boolean): Promise<Rendered[]> => {
    const chosen = ordered.filter((one) => isWanted(one) && (one.when?.(mode) ?? true));
    const rendered = await Promise.all(chosen.map((section) => renderOne(section, mode)));
    return rendered
      .filter(({ text }) => text.trim() !== "")
      .map((one) => bound(one, one.section.maxTokens ?? DEFAULT_MAX_TOKENS));
  };
  const renderState = async (mode: string, isUntrusted: boolean): Promise<string> => {
    const rendered = await render(
      mode,
      ({ stability, untrusted = false }) => stability === "volatile" && untrusted === isUntrusted,
    );
    return rendered.map(({ text }) => text.trim()).join("\n\n");
  };
  const bound = ({ section, text }: Rendered, limit: number): Rendered => {
    const tokens = counter.text(text);
    if (tokens <= limit) return { section, text };
    const cut = cutToTokens(text, limit, counter);
    const code = cut === "" ? "prompt_left_out" : "prompt_cut";
    onWarning({ code, section: section.id, message: `"${section.id}" has ${tokens} tokens and room for ${limit}.` });
    return { section, text: cut };
  };

  return {
    async system(mode = "") {
      const rendered = await render(mode, ({ stability }) => stability !== "volatile");
      const wishes = rendered.map(({ section: { id, priority }, text }) => {
        return { id, tokens: counter.text(text), priority };
      });
      const rooms = allocateTokens(maxTokens, wishes);
      const blocks = rendered
        .map((one) => bound(one, rooms.get(one.section.id) ?? 0))
        .filter(({ text }) => text !== "")
        .map(({ section: { id, stability }, text }): SystemBlock => {
          return { id, text, stability: stability === "static" ? "static" : "session" };
        });
      return blocks.toSorted((a, b) => Number(a.stability !== "static") - Number(b.stability !== "static"));
    },
    async state(mode = "") {
      return renderState(mode, false);
    },
    async outside(mode = "") {
      return renderState(mode, true);
    },
  };
}

/** What somebody would like to have of a common budget. */
export interface TokenWish {
  readonly id: string;
  readonly tokens: number;
  /** Higher is served first; equals share what is left for them. */
  readonly priority: number;
}

/**
 * AF-35: gives everyone what they wish while there is enough. Of equals the smallest wishes are met first, and the
 * others share the rest evenly. The sum is never more than `total`.
 */
export function allocateTokens(total: number, wishes: readonly TokenWish[]): ReadonlyMap<string, number> {
  const given = new Map<string, number>();
  let left = total;
  const ordered = wishes.toSorted((a, b) => b.priority - a.priority || a.tokens - b.tokens);
  ordered.forEach((wish, at) => {
    const equals = ordered.slice(at).filter((other) => other.priority === wish.priority).length;
    const tokens = Math.min(wish.tokens, Math.floor(left / equals));
    given.set(wish.id, tokens);
    left -= tokens;
  });
  return given;
}

/**
 * AF-24, AF-35: puts values for `{{name}}`. A value is not looked into again, so what a stranger wrote stays text.
 * Throws `AgentError` kind `invalid`, code `missing_value`, for a name without a value.
 */
export function fillTemplate(template: string, values: { readonly [name: string]: string }): string {
  return template.replaceAll(/\{\{\s*([\w.-]+)\s*\}\}/g, (_, name: string) => {
    if (Object.hasOwn(values, name)) return values[name] ?? "";
    throw agentError(
      "invalid",
      "missing_value",
      `The template asks for "${name}", which nobody gave. Given: ${Object.keys(values).join(", ") || "nothing"}.`,
    );
  });
}
