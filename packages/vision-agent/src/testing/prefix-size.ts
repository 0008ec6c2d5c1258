import {
  createCharCounter,
  type SystemBlock,
  type TokenCounter,
  type ToolDefinition,
  toSentTools,
} from "@vision-agent/agent-core";

/** Tokens that every request of a conversation begins with, as the loop counts them; tools that are loaded later come on top. */
export interface PrefixSize {
  readonly tools: number;
  /** Blocks of the prompt by id, files of the workspace left out. */
  readonly blocks: { readonly [id: string]: number };
  /** Tools and blocks. */
  readonly total: number;
  /** Files of the workspace, which come on top. */
  readonly files: number;
}

/** Most tokens of the part that the provider's cache keeps, files of the workspace not counted. */
export const PREFIX_LIMIT = 10_000;

export function measurePrefix(
  system: readonly SystemBlock[],
  tools: readonly ToolDefinition[],
  counter: TokenCounter = createCharCounter(),
): PrefixSize {
  const isFile = ({ id }: SystemBlock): boolean => id.endsWith(".md");
  const sum = (texts: readonly string[]): number => texts.reduce((all, text) => all + counter.text(text), 0);
  const standing = system.filter((block) => !isFile(block));
  const ofTools = sum(
    toSentTools(tools).map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters })),
  );
  return {
    tools: ofTools,
    blocks: Object.fromEntries(standing.map(({ id, text }) => [id, counter.text(text)])),
    total: ofTools + sum(standing.map(({ text }) => text)),
    files: sum(system.filter(isFile).map(({ text }) => text)),
  };
}
