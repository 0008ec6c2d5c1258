// a Markdown file ⇄ the rows of its tables, everything else left as it is

/** Which tables of a file are meant, and what their columns are. */
export interface TableFormat<C extends string> {
  /** By the words of a header, in small letters. */
  readonly titles: Readonly<Record<string, C>>;
  /** A table without these is another one. */
  readonly needed: readonly C[];
  /** All columns in the order of a new table, with their titles. */
  readonly columns: readonly (readonly [column: C, title: string])[];
  /** Columns whose cells may stand in `…` or <…>. */
  readonly quoted?: readonly C[];
}

export type TableCells<C extends string> = Readonly<Record<C, string>>;

export interface TableRow<C extends string> {
  /** From 0. */
  readonly line: number;
  /** Column of each cell; undefined for columns of the person's own. */
  readonly columns: readonly (C | undefined)[];
  readonly cells: TableCells<C>;
}

export interface MarkdownTable<C extends string> {
  readonly columns: readonly (C | undefined)[];
  readonly rows: readonly TableRow<C>[];
  /** The last line of it, from 0. */
  readonly lastLine: number;
}

/** Every table of the format outside of code. */
export function findTables<C extends string>(markdown: string, format: TableFormat<C>): readonly MarkdownTable<C>[] {
  const tables: OpenTable<C>[] = [];
  let open: OpenTable<C> | undefined;
  let fenced = false;
  for (const [line, text] of linesOf(markdown).entries()) {
    if (/^\s*(```|~~~)/.test(text)) fenced = !fenced;
    const cells = fenced ? undefined : cellsOf(text);
    if (cells === undefined) open = undefined;
    else if (open !== undefined) addLine(open, line, toCells(format, open.columns, cells));
    else {
      const columns = headerOf(format, cells);
      open = columns && { columns, rows: [], lastLine: line };
      if (open !== undefined) tables.push(open);
    }
  }
  return tables;
}

interface OpenTable<C extends string> extends MarkdownTable<C> {
  readonly rows: TableRow<C>[];
  lastLine: number;
}

function addLine<C extends string>(table: OpenTable<C>, line: number, cells: TableCells<C> | undefined): void {
  table.lastLine = line;
  const { columns } = table;
  if (cells) table.rows.push({ line, columns, cells });
}

/** With one more row at the end of the last table, or of a new one. */
export function withRow<C extends string>(markdown: string, cells: TableCells<C>, format: TableFormat<C>): string {
  const table = findTables(markdown, format).at(-1);
  const lines = linesOf(markdown);
  const end = lines.some((line) => line.endsWith("\r\n")) ? "\r\n" : "\n";
  if (table === undefined) {
    const gap = markdown === "" ? "" : `${markdown.endsWith("\n") ? "" : end}${end}`;
    const titles = format.columns.map(([, title]) => title);
    const head = [`| ${titles.join(" | ")} |`, `|${titles.map((title) => "-".repeat(title.length + 2)).join("|")}|`];
    const row = toLine(
      format.columns.map(([column]) => column),
      cells,
    );
    return `${markdown}${gap}${[...head, row].map((line) => `${line}${end}`).join("")}`;
  }
  const row = toLine(table.columns, cells);
  const before = lines[table.lastLine] ?? "";
  const added = before.endsWith("\n") ? [before, `${row}${end}`] : [`${before}${end}`, row];
  return lines.with(table.lastLine, added.join("")).join("");
}

/** With some cells of a row changed; the line keeps its other cells, its spacing and its end. */
export function withCells<C extends string>(
  markdown: string,
  row: TableRow<C>,
  changes: Partial<TableCells<C>>,
): string {
  const lines = linesOf(markdown);
  const [, text = "", end = ""] = /^([^\r\n]*)(\r?\n?)$/.exec(lines[row.line] ?? "") ?? [];
  const segments = text.split(/(?<!\\)\|/);
  for (const [at, column] of row.columns.entries()) {
    const value = column && changes[column];
    if (column === undefined || value === undefined) continue;
    // The first segment stands before the first bar.
    while (segments.length < at + 3) segments.splice(-1, 0, " ");
    segments[at + 1] = refill(segments[at + 1] ?? "", value);
  }
  return lines.with(row.line, `${segments.join("|")}${end}`).join("");
}

export function withoutRow(markdown: string, row: Pick<TableRow<string>, "line">): string {
  return linesOf(markdown).toSpliced(row.line, 1).join("");
}

function refill(segment: string, value: string): string {
  const [, before = "", text = "", after = ""] = /^(\s*)(.*?)(\s*)$/s.exec(segment) ?? [];
  const [, open = "", close = ""] = /^([`<]).*([`>])$/.exec(text) ?? [];
  const written = value === "" ? "" : `${open}${escapeBars(value)}${close}`;
  return `${before || " "}${written}${text === "" && after === "" ? " " : after}`;
}

function toLine<C extends string>(columns: readonly (C | undefined)[], cells: TableCells<C>): string {
  return `| ${columns.map((column) => (column === undefined ? "" : escapeBars(cells[column]))).join(" | ")} |`;
}

function escapeBars(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** Each with its end. */
function linesOf(markdown: string): readonly string[] {
  return markdown.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function cellsOf(line: string): readonly string[] | undefined {
  const text = line.trim();
  if (!text.startsWith("|")) return undefined;
  const inner = text.replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function headerOf<C extends string>(
  { titles, needed }: TableFormat<C>,
  cells: readonly string[],
): readonly (C | undefined)[] | undefined {
  const columns = cells.map((cell) => titles[cell.replace(/[*_`]/g, "").toLowerCase()]);
  return needed.every((column) => columns.includes(column)) ? columns : undefined;
}

/** Undefined for the line below a header. */
function toCells<C extends string>(
  { columns: all, quoted = [] }: TableFormat<C>,
  columns: readonly (C | undefined)[],
  cells: readonly string[],
): TableCells<C> | undefined {
  if (cells.every((cell) => /^(:?-+:?)?$/.test(cell))) return undefined;
  const row = Object.fromEntries(all.map(([column]) => [column, ""])) as Record<C, string>;
  for (const [index, column] of columns.entries()) if (column) row[column] = cells[index] ?? "";
  for (const column of quoted) row[column] = row[column].replace(/^[`<](.*)[`>]$/, "$1");
  return row;
}
