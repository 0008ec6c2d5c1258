// an example file and the snippets of a page → the same first agent with each library
import { readFileSync } from "node:fs";
import { join } from "node:path";

const EXAMPLE = "examples/first-agent.ts";
const PAGE = "docs/agent-core/README.md";

/** The programs as text, formatted alike. */
export interface FirstAgents {
  /** The example that is run. */
  readonly ours: string;
  readonly ai: string;
  readonly pi: string;
}

export function readFirstAgents(root: string): FirstAgents {
  const page = readFileSync(join(root, PAGE), "utf8");
  return {
    ours: readFileSync(join(root, EXAMPLE), "utf8"),
    ai: snippetWith(page, 'from "ai"'),
    pi: snippetWith(page, 'from "@earendil-works/pi-agent-core"'),
  };
}

/** The first snippet of a page that has these words. */
export function snippetWith(page: string, words: string): string {
  const snippets = [...page.matchAll(/```(?:ts|typescript)\n(.*?)```/gs)].map(([, code]) => code!);
  const found = snippets.find((code) => code.includes(words));
  if (found === undefined) throw new Error(`The page has no snippet with ${words}.`);
  return found;
}

/** Empty lines and comments do not count. */
export function countLines(code: string): { readonly lines: number; readonly imports: number } {
  const lines = code.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("//"));
  return { lines: lines.length, imports: lines.filter((line) => line.startsWith("import ")).length };
}
