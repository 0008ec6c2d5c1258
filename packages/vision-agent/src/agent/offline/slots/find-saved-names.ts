// an instruction → the saved workflow and the workspace that it names, and its words without them
import type { Known } from "../intent.ts";
import { escapePattern, type Literals, type QuotedName } from "../words/plain-words.ts";

export interface SavedNames {
  readonly workflow?: string;
  readonly workspace?: string;
}

/** Marks in plain words where a name stood, so that "inventory-count" is not read as a wish to count. */
export const WORKFLOW_MARK = "@w";
export const WORKSPACE_MARK = "@s";

const NAME = "[a-z0-9][\\w-]*";
/** Two words in one: people do not speak so, names are written so. */
const COMPOUND = "[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+";
const VERB = "(?:run|start|use|launch|execute|deploy|apply|try)";

/** Compounds of plain English. */
const ENGLISH =
  /^(?:real|left|right|top|bottom|one|two|three|half|full|part|e|re|pre|non|hard|hi|high|low|long|short|night|day|first|second|check|drive|mid)[-_]|[-_](?:time|hand|minute|second|hour|day|in|out|up|vis|by|hat|hats)$/;
const NO_NAME =
  /^(?:is|are|was|on|at|and|or|for|called|named|the|my|our|your|a|an|id|name|of|in|with|to|it|that|this|from|as|which|roboflow|saved|same|different|other|what|please|i|we|you)$/;

/** `text` is the whole instruction in plain words: a workspace may stand in another sentence than its workflow. */
export function findSavedNames(text: string, { quoted }: Literals, known: Known): SavedNames {
  const taken = [...known.cameras, ...known.pipelines].map(({ name }) => name.toLowerCase());
  const isFree = (name: string): boolean => !taken.includes(name) && !NO_NAME.test(name) && !ENGLISH.test(name);
  const find = (patterns: readonly string[], fits: (name: string) => boolean): string | undefined =>
    patterns
      .flatMap((pattern) => [...text.matchAll(new RegExp(pattern, "g"))])
      .map(([, name = ""]) => name)
      .find(fits);
  const workflow = quotedName(quoted, "workflow") ?? find(WORKFLOWS, isFree);
  const isOther = (name: string): boolean => isFree(name) && name !== workflow?.toLowerCase();
  const others = quoted.filter((name) => name.text !== workflow);
  const owners =
    workflow === undefined
      ? []
      : OWNERS.map((pattern) => pattern.replace("{name}", escapePattern(workflow.toLowerCase())));
  const workspace = quotedName(others, "workspace") ?? find([...WORKSPACES, ...owners], isOther);
  return { workflow, workspace };
}

/** After a verb a compound is the name of something that runs. */
const WORKFLOWS: readonly string[] = [
  `\\bworkflow(?: called| named| id| is)* (${COMPOUND}|[a-z]+\\d[\\w-]*)\\b`,
  `\\bworkflow (?:called|named) (${NAME})\\b`,
  `\\b(${COMPOUND})(?: is)?(?: the| my| our)?(?: saved)? workflow\\b`,
  `\\b${VERB} (?:my |our |the |saved |${NAME}'s )*(${COMPOUND})\\b(?! (?:detect|track|recogni|count))`,
];
const WORKSPACES: readonly string[] = [
  `\\bworkspace(?: name)?(?: is| called| named| id)* (${NAME})(?![\\w-]| workflow)`,
  `\\b(${NAME})(?: is|'s)? (?:the |my |our )?(?:roboflow )?workspace\\b(?! (?:is|called|named)\\b)`,
];
/** `{name}` stands for the workflow's name. */
const OWNERS: readonly string[] = [
  `\\b(${NAME})'s {name}\\b`,
  `\\b{name}(?: workflow)? (?:from|of|by|in) (${NAME})\\b`,
];

function quotedName(quoted: readonly QuotedName[], what: string): string | undefined {
  const before = new RegExp(`\\b${what}(?: called| named| is)?$`);
  const after = new RegExp(`^${what}s?\\b`);
  return quoted.find((name) => before.test(name.before) || after.test(name.after))?.text;
}

/** Plain words with marks where the names stood. */
export function markSavedNames(text: string, { workflow, workspace }: SavedNames): string {
  const mark = (words: string, name: string | undefined, sign: string): string =>
    name === undefined
      ? words
      : words.replace(new RegExp(`(?<![\\w-])${escapePattern(name.toLowerCase())}(?![\\w-])`, "g"), sign);
  return mark(mark(text, workflow, WORKFLOW_MARK), workspace, WORKSPACE_MARK);
}

/** The names in their places again, for words that are read later. */
export function unmarkSavedNames(text: string, { workflow = "", workspace = "" }: SavedNames): string {
  return text.replaceAll(WORKFLOW_MARK, workflow).replaceAll(WORKSPACE_MARK, workspace);
}
