// notes ⇄ lines of Markdown
import { z } from "zod";
import { parseJson } from "../workspace/parse-json.ts";
import { dayNumber, type LocalTime } from "./local-time.ts";
import type { MemoryCategory, MemoryNote, NoteMetadata, NotePlace } from "./memory.ts";

/** A passage of a Markdown file: an item of a list with what belongs to it, or a paragraph. */
export interface ParsedNote extends NotePlace {
  readonly category: MemoryCategory;
  readonly text: string;
  /** The heading that it stands under, below that of the file; may be empty. */
  readonly heading: string;
  readonly day?: string;
  readonly time?: string;
  readonly camera?: string;
  readonly metadata?: NoteMetadata;
}

export const KNOWLEDGE_FILE = "memory/KNOWLEDGE.md";
/** Part of every prompt; what a person likes is kept there under a heading of its own. */
export const PREFERENCES_FILE = "USER.md";
export const PREFERENCES_HEADING = "Preferences";

const DAY_FILE = /^memory\/(\d{4}-\d{2}-\d{2})\.md$/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^[-*+]\s+/;
// Never indented: what `toMarkdown` writes cannot open one.
const FENCE = /^(?:```|~~~)/;
// Date, time and camera, each of them optional; `[x]` is a ticked box and `[a](b)` a link.
const LABELS =
  /^(?:(\d{4}-\d{2}-\d{2})\s+)?(?:(\d{1,2}:\d{2})\s+)?(?:\[(?!x\])([\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,63})\]\s+)?/iu;
const METADATA = /<!--\s*(\{.*\})\s*-->\s*$/;
// One that nobody closes ends where the next begins.
const COMMENT = /<!--(?:(?!<!--)[\s\S])*?-->/g;

const metadataSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

export function dayFile(day: string): string {
  return `memory/${day}.md`;
}

/** Where a note of this day is written. */
export function fileOf({ category }: Pick<MemoryNote, "category">, day: string): string {
  if (category === "observation") return dayFile(day);
  return category === "preference" ? PREFERENCES_FILE : KNOWLEDGE_FILE;
}

/** A day that is in the calendar, when this is the file of one. */
export function dayOfFile(path: string): string | undefined {
  const day = DAY_FILE.exec(path)?.[1];
  return isDay(day) ? day : undefined;
}

function isDay(text: string | undefined): text is string {
  return text !== undefined && dayNumber(text) > 0;
}

/** Throws `RangeError` when there is nothing in it. Ends with a line break. */
export function toMarkdown({ content, category, camera, metadata }: MemoryNote, { day, time }: LocalTime): string {
  const text = tidy(content);
  if (text === "") throw new RangeError("There is nothing to remember: the content is empty.");
  const labels = [category === "observation" ? time : day, ...(camera === undefined ? [] : [`[${camera}]`])];
  const looksLabelled = text.startsWith("\\") || LABELS.exec(`${text} `)?.[0] !== "";
  const body = looksLabelled ? `\\${text}` : text;
  const written = body.replaceAll("<!--", "&lt;!--").replaceAll("\n", "\n  ");
  const comment = metadata === undefined ? "" : ` <!-- ${toCommentJson(metadata)} -->`;
  return `- ${labels.join(" ")} ${written}${comment}\n`;
}

/** Reads what a person or `toMarkdown` wrote. Nothing is refused: whatever is not understood is plain text. */
export function parseNotes(path: string, markdown: string): readonly ParsedNote[] {
  const blocks = toBlocks(markdown.replaceAll("\r\n", "\n").replace(COMMENT, blankOutLines));
  const day = dayOfFile(path);
  const category = categoryOf(path, day);
  return blocks
    .filter(({ heading }) => category !== "preference" || heading.toLowerCase() === PREFERENCES_HEADING.toLowerCase())
    .map((block) => toNote(block, { path, category, day }))
    .filter(({ text }) => text !== "");
}

/** The text without those notes, and the notes. A note is taken out with all its lines. */
export function withoutNotes(
  path: string,
  markdown: string,
  goes: (note: ParsedNote) => boolean,
): { readonly text: string; readonly removed: readonly ParsedNote[] } {
  const removed = parseNotes(path, markdown).filter(goes);
  if (removed.length === 0) return { text: markdown, removed };
  const plain = markdown.replaceAll("\r\n", "\n");
  const starts = new Set(removed.map(({ line }) => line));
  const blocks = toBlocks(plain.replace(COMMENT, blankOutLines)).filter(({ line }) => starts.has(line));
  const gone = new Set(blocks.flatMap(({ line, lines }) => lines.map((_, at) => line - 1 + at)));
  const text = plain
    .split("\n")
    .filter((_, at) => !gone.has(at))
    .join("\n");
  return { text, removed };
}

/** Text without what only programs read. */
export function withoutComments(markdown: string): string {
  return markdown.replace(COMMENT, "").replace(/[ \t]+$/gm, "");
}

interface Block {
  readonly line: number;
  readonly heading: string;
  readonly lines: string[];
}

function categoryOf(path: string, day: string | undefined): MemoryCategory {
  if (day !== undefined) return "observation";
  return path === PREFERENCES_FILE ? "preference" : "knowledge";
}

/** A comment over several lines is a person's; the lines after it keep their numbers. */
function blankOutLines(comment: string): string {
  return comment.includes("\n") ? comment.replace(/[^\n]/g, "") : comment;
}

function toBlocks(markdown: string): readonly Block[] {
  const lines = markdown.split("\n");
  const blocks: Block[] = [];
  let heading = "";
  let open: Block | undefined;
  for (const [index, kind] of lineKinds(lines).entries()) {
    const line = lines[index]!;
    if (kind === "heading") heading = headingOf(line);
    if (kind === "heading" || kind === "end") open = undefined;
    else if (kind === "item" || open === undefined) {
      open = { line: index + 1, heading, lines: [line] };
      blocks.push(open);
    } else open.lines.push(line);
  }
  return blocks.filter((block) => block.lines.some((line) => line.trim() !== ""));
}

/** What a line does: begins a section, begins an item, goes on with what is there, or ends it. */
type LineKind = "heading" | "item" | "more" | "end";

function lineKinds(lines: readonly string[]): readonly LineKind[] {
  let codeEnd = -1;
  return lines.map((line, index) => {
    if (index <= codeEnd) return "more";
    // A fence that nobody closes is an ordinary line.
    if (FENCE.test(line)) codeEnd = lines.findIndex((other, at) => at > index && FENCE.test(other));
    if (HEADING.test(line)) return "heading";
    if (ITEM.test(line)) return "item";
    // After an empty line, what is indented still belongs to the item.
    return line.trim() === "" && !/^\s+\S/.test(lines[index + 1] ?? "") ? "end" : "more";
  });
}

/** Empty for the title of the file. */
function headingOf(line: string): string {
  const [, level, title] = HEADING.exec(line)!;
  return level === "#" ? "" : title!.trim();
}

function toNote(
  { line, heading, lines }: Block,
  file: { readonly path: string; readonly category: MemoryCategory; readonly day: string | undefined },
): ParsedNote {
  const whole = tidy(lines.join("\n").replace(ITEM, ""));
  const metadata = parseMetadata(METADATA.exec(whole)?.[1]);
  const visible = tidy(whole.replace(COMMENT, ""));
  const [labels = "", date, time, camera] = LABELS.exec(`${visible} `) ?? [];
  const day = file.day ?? (isDay(date) ? date : undefined);
  const text = visible.slice(labels.length).replace(/^\\/, "").replaceAll("&lt;!--", "<!--");
  return {
    path: file.path,
    line,
    category: file.category,
    heading,
    text,
    day,
    ...(time !== undefined && { time: time.padStart(5, "0") }),
    camera,
    metadata,
  };
}

function parseMetadata(json: string | undefined): NoteMetadata | undefined {
  return json === undefined ? undefined : metadataSchema.safeParse(parseJson(json)).data;
}

/** JSON that cannot end the comment it stands in. */
function toCommentJson(metadata: NoteMetadata): string {
  return JSON.stringify(metadata).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
}

/** Lines without blanks around them, without empty ones and without control characters. */
function tidy(text: string): string {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replace(/\p{Cc}+/gu, " ").trim())
    .filter((line) => line !== "")
    .join("\n");
}
