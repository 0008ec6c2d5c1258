// a tool's result → patches of the environment
import type { EnvironmentState, EnvPatch } from "../types/environment.ts";
import { type Json, parseJson } from "../types/json.ts";
import { type ToolResultPart, textOf } from "../types/message.ts";
import { toPointer } from "./json-pointer.ts";

/** AF-15: what a result changes. Must not throw; an empty list changes nothing. */
export type Reducer = (result: ToolResultPart, state: EnvironmentState) => readonly EnvPatch[];

/** A reducer for each tool, and one for all others. */
export type ReducerRegistry = ReturnType<typeof createReducerRegistry>;

const MAX_FACTS = 100;
const MAX_FILES = 500;
/** Characters of one unknown result; the whole of it is in the conversation. */
const MAX_EXTRA = 2000;
const OWN_KNOWLEDGE: readonly string[] = ["discoveredFacts", "sources", "keyConcepts"];

/** `directory_tree` → workspace, `search` → knowledge, any other → knowledge under the tool's name. Failures change nothing. */
export function createReducerRegistry(reducers: { readonly [toolName: string]: Reducer } = {}) {
  const byName = new Map<string, Reducer>([
    ["directory_tree", reduceDirectoryTree],
    ["search", reduceSearch],
    ...Object.entries(reducers),
  ]);
  return {
    /** The last one registered for a tool counts. */
    register(toolName: string, reducer: Reducer): void {
      byName.set(toolName, reducer);
    },
    reduce(toolName: string, result: ToolResultPart, state: EnvironmentState): readonly EnvPatch[] {
      if (result.outcome !== "ok") return [];
      return (byName.get(toolName) ?? reduceUnknown(toolName))(result, state);
    },
  };
}

function reduceDirectoryTree(result: ToolResultPart, state: EnvironmentState): readonly EnvPatch[] {
  const value = parseResult(result);
  const found = typeof value === "string" ? toPathList(value.split("\n"), "") : toFiles(value, "");
  if (found.length === 0) return [];
  const files = Object.entries({ ...state.workspace.files, ...Object.fromEntries(found) });
  return [{ op: "set", path: "/workspace/files", value: Object.fromEntries(files.slice(-MAX_FILES)) }];
}

/** Under which a tree may stand. */
const TREE_KEYS = ["children", "tree", "entries", "files", "contents"] as const;

/** A tree of `{name, type?, size?, children?}`, a list of such, a list of paths, or the lines of a drawn tree. */
function toFiles(value: Json, parent: string): [string, Json][] {
  if (typeof value === "string") return [[joinPath(parent, value), {}]];
  if (isTextList(value)) return toPathList(value, parent);
  if (Array.isArray(value)) return value.flatMap((child) => toFiles(child, parent));
  if (typeof value !== "object" || value === null) return [];
  const { name, path, ...rest } = value;
  const own = path ?? name;
  const here = typeof own === "string" ? joinPath(parent, own) : parent;
  const below = TREE_KEYS.flatMap((key) => (isTree(rest[key]) ? toFiles(rest[key], here) : []));
  const info = Object.fromEntries(Object.entries(rest).filter(([key, inner]) => !isTreeKey(key) || !isTree(inner)));
  return here === parent ? below : [[here, info], ...below];
}

function isTextList(value: Json): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");
}

function isTree(value: Json | undefined): value is Json[] | { [key: string]: Json } {
  return typeof value === "object" && value !== null;
}

function isTreeKey(key: string): boolean {
  return TREE_KEYS.some((known) => known === key);
}

/** What is drawn further in lies below what was drawn last before it, as `tree` prints it. */
function toPathList(lines: readonly string[], parent: string): [string, Json][] {
  const above: { readonly indent: number; readonly path: string }[] = [];
  return lines.flatMap((line): [string, Json][] => {
    const indent = line.length - line.replace(/^[\s│├└─|`+-]*/u, "").length;
    const name = line.slice(indent).trim();
    if (name === "") return [];
    while ((above.at(-1)?.indent ?? -1) >= indent) above.pop();
    const path = joinPath(above.at(-1)?.path ?? parent, name);
    above.push({ indent, path });
    return [[path, {}]];
  });
}

function joinPath(parent: string, name: string): string {
  return parent === "" ? name : `${parent.replace(/\/$/, "")}/${name}`;
}

function reduceSearch(result: ToolResultPart, state: EnvironmentState): readonly EnvPatch[] {
  const value = parseResult(result);
  const hits = toHits(value);
  const known = state.knowledge.discoveredFacts;
  const facts = hits.flatMap((hit) => (hit.fact === undefined || known.includes(hit.fact) ? [] : [hit.fact]));
  const sources = hits.flatMap((hit) => (hit.source === undefined ? [] : [hit.source]));
  const patches: EnvPatch[] = [];
  if (facts.length > 0) {
    const value = [...known, ...new Set(facts)].slice(-MAX_FACTS);
    patches.push({ op: "set", path: "/knowledge/discoveredFacts", value });
  }
  for (const [title, url] of sources) {
    patches.push({ op: "set", path: toPointer("knowledge", "sources", title), value: url });
  }
  return patches;
}

type Hit = { readonly fact?: string; readonly source?: readonly [title: string, url: string] };

/** Text is one fact a line; JSON is a list of `{title?, url?, snippet?}` or of sentences, perhaps under `results`. */
function toHits(value: Json): readonly Hit[] {
  if (typeof value === "string") {
    return value.split("\n").flatMap((line) => (line.trim() === "" ? [] : [{ fact: line.trim() }]));
  }
  if (Array.isArray(value)) return value.flatMap(toHits);
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value.results)) return toHits(value.results);
  const { title, url } = value;
  const fact = [value.snippet, value.text, value.content, title].find((text) => typeof text === "string");
  const source = typeof url === "string" ? ([typeof title === "string" ? title : url, url] as const) : undefined;
  return [{ fact: typeof fact === "string" ? fact : undefined, source }];
}

/** AF-41: the newest result of a tool that nobody knows stands under its name. */
function reduceUnknown(toolName: string): Reducer {
  return (result) => {
    const value = parseResult(result);
    if (value === "") return [];
    const name = OWN_KNOWLEDGE.includes(toolName) ? `${toolName}_result` : toolName;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const short = text.length <= MAX_EXTRA ? value : `${text.slice(0, MAX_EXTRA).toWellFormed()} […]`;
    return [{ op: "set", path: toPointer("knowledge", name), value: short }];
  };
}

/** The data of a result, which is whole where its text was cut; else the text, as JSON where it is JSON. */
function parseResult(result: ToolResultPart): Json {
  if (result.data !== undefined && result.data !== null) return result.data;
  const text = textOf(result.content);
  return (/^\s*[[{]/.test(text) ? parseJson(text) : undefined) ?? text.trim();
}
