// declarations → each exported name with its signatures, sentence and members
import { posix } from "node:path";
import {
  type Class,
  type Comment,
  type Directive,
  type Function as FunctionNode,
  parseSync,
  type Statement,
  type TSInterfaceDeclaration,
  type TSType,
  type TSTypeAliasDeclaration,
  type VariableDeclaration,
} from "oxc-parser";
import type { Declarations } from "./declarations.ts";

/** A line of an interface, a class or an object type; an alternative of a union. */
export interface Member {
  readonly signature: string;
  readonly sentence: string;
}

export interface ExportedName {
  readonly name: string;
  /** With its kind: `function x(): void`. Several when a function has overloads. */
  readonly signatures: readonly string[];
  /** The first one of its comment; empty when it has none. */
  readonly sentence: string;
  readonly members: readonly Member[];
}

/** What an entry file re-exports, in its order. Throws when a name leads nowhere. */
export function exportsOf(declarations: Declarations, entry: string): readonly ExportedName[] {
  const { module } = parseFile(declarations, entry);
  const entries = module.staticExports.flatMap((statement) => statement.entries);
  return entries.map((found) => {
    const name = found.exportName.name!;
    const target = found.moduleRequest && toFile(entry, found.moduleRequest.value);
    return describe(declarations, target ?? entry, { name, local: found.importName.name ?? name });
  });
}

interface ParsedFile {
  readonly text: string;
  readonly body: readonly (Statement | Directive)[];
  readonly comments: readonly Comment[];
  readonly module: ReturnType<typeof parseSync>["module"];
}

interface Found {
  readonly node: Declaration;
  /** Where the statement begins, `export` included. */
  readonly start: number;
}

const HIDDEN = "{ … }";

type Declaration = FunctionNode | Class | TSInterfaceDeclaration | TSTypeAliasDeclaration | VariableDeclaration;

const DECLARATIONS: readonly string[] = [
  "TSDeclareFunction",
  "ClassDeclaration",
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "VariableDeclaration",
] satisfies readonly Declaration["type"][];

function parseFile(declarations: Declarations, name: string): ParsedFile {
  const text = declarations.get(name);
  if (text === undefined) throw new Error(`There are no declarations of ${name}.`);
  const { program, comments, module } = parseSync(`${name}.d.ts`, text);
  return { text, body: program.body, comments, module };
}

/** "agent/executor" for "./executor.ts" in "agent/run". */
function toFile(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier).replace(/\.(ts|js)$/, "");
}

function describe(declarations: Declarations, from: string, wanted: { name: string; local: string }): ExportedName {
  const file = parseFile(declarations, from);
  const found = findAll(file, wanted.local);
  const [first] = found;
  if (first === undefined) throw new Error(`${from} declares no ${wanted.local}.`);
  const sentence = found.map(({ start }) => sentenceBefore(file, start)).find((text) => text !== "") ?? "";
  return {
    name: wanted.name,
    signatures: found.map(({ node }) => signatureOf(file, wanted.name, node)),
    sentence,
    members: membersIn(file, first.node),
  };
}

function signatureOf(file: ParsedFile, name: string, node: Declaration): string {
  const text = (start: number, end: number): string => file.text.slice(start, end);
  const hides = membersIn(file, node).length > 0;
  if (node.type === "VariableDeclaration") return toLine(`const ${text(node.declarations[0]!.id.start, node.end)}`);
  if (node.type === "TSInterfaceDeclaration") return toLine(`interface ${name}${text(node.id.end, node.body.start)}`);
  if (node.type === "TSTypeAliasDeclaration") {
    const parameters = node.typeParameters ? text(node.typeParameters.start, node.typeParameters.end) : "";
    const type = hides ? HIDDEN : text(node.typeAnnotation.start, node.typeAnnotation.end);
    return toLine(`type ${name}${parameters} = ${type}`);
  }
  if (isClass(node)) return toLine(`class ${name}${text(node.id!.end, node.body.start)}`);
  const head = text(node.id!.end, hides ? node.returnType!.typeAnnotation.start : node.end);
  return toLine(`function ${name}${head}${hides ? HIDDEN : ""}`);
}

/** What the page lists below the signature. */
function membersIn(file: ParsedFile, node: Declaration): readonly Member[] {
  if (node.type === "VariableDeclaration") return [];
  if (node.type === "TSInterfaceDeclaration") return node.body.body.map((member) => toMember(file, member));
  if (node.type === "TSTypeAliasDeclaration") return aliasMembers(file, node.typeAnnotation);
  if (isClass(node)) {
    const isOwn = (text: string): boolean => !/^(#|private |protected |constructor\b)/.test(text);
    return node.body.body.filter((member) => isOwn(textAt(file, member))).map((member) => toMember(file, member));
  }
  const result = node.returnType?.typeAnnotation;
  return result?.type === "TSTypeLiteral" ? result.members.map((member) => toMember(file, member)) : [];
}

function isClass(node: FunctionNode | Class): node is Class {
  return node.type === "ClassDeclaration";
}

/** Of an object type, of a union of them, and behind `Pick<Class, keyof Class>` and `ReturnType<typeof create>`. */
function aliasMembers(file: ParsedFile, type: TSType): readonly Member[] {
  if (type.type === "TSTypeLiteral") return type.members.map((member) => toMember(file, member));
  if (type.type === "TSUnionType" || type.type === "TSIntersectionType") {
    const parts = partsOf(type);
    return parts.some((part) => part.type === "TSTypeLiteral") ? parts.map((part) => toMember(file, part)) : [];
  }
  const text = toLine(textAt(file, type));
  const behind = (/^Pick<(\w+), keyof \1>$/.exec(text) ?? /^ReturnType<typeof (\w+)>$/.exec(text))?.[1];
  const [found] = behind === undefined ? [] : findAll(file, behind);
  return found === undefined ? [] : membersIn(file, found.node);
}

/** Alternatives, and what is common to them, one after the other. */
function partsOf(type: TSType): readonly TSType[] {
  if (type.type === "TSParenthesizedType") return partsOf(type.typeAnnotation);
  return type.type === "TSUnionType" || type.type === "TSIntersectionType" ? type.types.flatMap(partsOf) : [type];
}

function findAll(file: ParsedFile, name: string): readonly Found[] {
  return file.body.flatMap((statement) => {
    const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    return node && isDeclaration(node) && nameOf(node) === name ? [{ node, start: statement.start }] : [];
  });
}

function isDeclaration(node: { readonly type: string }): node is Declaration {
  return DECLARATIONS.includes(node.type);
}

function nameOf(node: Declaration): string | undefined {
  if (node.type !== "VariableDeclaration") return node.id?.name;
  const id = node.declarations[0]?.id;
  return id?.type === "Identifier" ? id.name : undefined;
}

function toMember(file: ParsedFile, member: { readonly start: number; readonly end: number }): Member {
  const signature = toLine(textAt(file, member).replace(/^get (\w+)\(\)/, "$1"));
  return { signature, sentence: sentenceBefore(file, member.start) };
}

function textAt({ text }: ParsedFile, { start, end }: { readonly start: number; readonly end: number }): string {
  return text.slice(start, end);
}

/** Of the comment that ends right before this place. */
function sentenceBefore({ text, comments }: ParsedFile, start: number): string {
  const comment = comments.findLast(({ end }) => end <= start);
  const isDoc = comment?.type === "Block" && comment.value.startsWith("*");
  if (!isDoc || text.slice(comment.end, start).trim() !== "") return "";
  return firstSentence(comment.value);
}

/** Without stars and the ids of requirements. */
export function firstSentence(comment: string): string {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\*+ ?/, "").trim());
  const ids = "(?:(?:Invariant \\d+|[A-Z]+-?[\\d.]+\\w*)(?:, | … )?)+";
  const text = lines
    .join(" ")
    .trim()
    .replace(new RegExp(`^${ids}[:.] | \\(${ids}\\)`, "g"), "");
  const sentence = /^.*?(?<!\be\.g|\bi\.e)[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** One line without comments, `readonly` and final semicolons. */
export function toLine(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/\breadonly /g, "")
    .replace(/;? \}/g, " }")
    .replace(/= \| /g, "= ")
    .replace(/;$/, "")
    .trim();
}
