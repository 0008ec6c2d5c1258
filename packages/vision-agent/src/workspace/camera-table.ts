// CAMERAS.md ⇄ the rows of its tables, everything else left as it is

export type Column = "name" | "address" | "location" | "notes";
export type CameraCells = Readonly<Record<Column, string>>;

/** One row of a camera table. */
export interface CameraRow {
  /** From 0. */
  readonly line: number;
  /** Column of each cell; undefined for columns of the person's own. */
  readonly columns: readonly (Column | undefined)[];
  readonly cells: CameraCells;
}

/** A table with the columns Name and URL. */
export interface CameraTable {
  readonly columns: readonly (Column | undefined)[];
  readonly rows: readonly CameraRow[];
  /** The last line of it, from 0. */
  readonly lastLine: number;
}

const COLUMNS: Readonly<Record<string, Column>> = {
  name: "name",
  camera: "name",
  url: "address",
  source: "address",
  address: "address",
  location: "location",
  place: "location",
  notes: "notes",
  note: "notes",
};

const NEW_TABLE: readonly string[] = ["| Name | URL | Location | Notes |", "|------|-----|----------|-------|"];
const NEW_COLUMNS: readonly Column[] = ["name", "address", "location", "notes"];

/** Every table with the columns Name and URL outside of code. */
export function findTables(markdown: string): readonly CameraTable[] {
  const tables: OpenTable[] = [];
  let open: OpenTable | undefined;
  let fenced = false;
  for (const [line, text] of linesOf(markdown).entries()) {
    if (/^\s*(```|~~~)/.test(text)) fenced = !fenced;
    const cells = fenced ? undefined : cellsOf(text);
    if (cells === undefined) open = undefined;
    else if (open !== undefined) addLine(open, line, cells);
    else {
      const columns = headerOf(cells);
      open = columns && { columns, rows: [], lastLine: line };
      if (open !== undefined) tables.push(open);
    }
  }
  return tables;
}

interface OpenTable extends CameraTable {
  readonly rows: CameraRow[];
  lastLine: number;
}

function addLine(table: OpenTable, line: number, cells: readonly string[]): void {
  table.lastLine = line;
  const isRow = cells.some((cell) => !/^(:?-+:?)?$/.test(cell));
  const { columns } = table;
  if (isRow) table.rows.push({ line, columns, cells: toCells(columns, cells) });
}

/** With one more row at the end of the last table, or of a new one. */
export function withRow(markdown: string, cells: CameraCells): string {
  const table = findTables(markdown).at(-1);
  const lines = linesOf(markdown);
  const end = lines.some((line) => line.endsWith("\r\n")) ? "\r\n" : "\n";
  if (table === undefined) {
    const gap = markdown === "" ? "" : `${markdown.endsWith("\n") ? "" : end}${end}`;
    return `${markdown}${gap}${[...NEW_TABLE, toLine(NEW_COLUMNS, cells)].map((line) => `${line}${end}`).join("")}`;
  }
  const row = toLine(table.columns, cells);
  const before = lines[table.lastLine] ?? "";
  const added = before.endsWith("\n") ? [before, `${row}${end}`] : [`${before}${end}`, row];
  return lines.with(table.lastLine, added.join("")).join("");
}

/** With some cells of a row changed; the line keeps its other cells, its spacing and its end. */
export function withCells(markdown: string, row: CameraRow, changes: Partial<CameraCells>): string {
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

export function withoutRow(markdown: string, row: CameraRow): string {
  return linesOf(markdown).toSpliced(row.line, 1).join("");
}

function refill(segment: string, value: string): string {
  const [, before = "", text = "", after = ""] = /^(\s*)(.*?)(\s*)$/s.exec(segment) ?? [];
  const [, open = "", close = ""] = /^([`<]).*([`>])$/.exec(text) ?? [];
  const written = value === "" ? "" : `${open}${escapeBars(value)}${close}`;
  return `${before || " "}${written}${text === "" && after === "" ? " " : after}`;
}

function toLine(columns: readonly (Column | undefined)[], cells: CameraCells): string {
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

function headerOf(cells: readonly string[]): readonly (Column | undefined)[] | undefined {
  const columns = cells.map((cell) => COLUMNS[cell.replace(/[*_`]/g, "").toLowerCase()]);
  return columns.includes("name") && columns.includes("address") ? columns : undefined;
}

function toCells(columns: readonly (Column | undefined)[], cells: readonly string[]): CameraCells {
  const row: Record<Column, string> = { name: "", address: "", location: "", notes: "" };
  columns.forEach((column, index) => {
    if (column) row[column] = cells[index] ?? "";
  });
  row.address = row.address.replace(/^[`<](.*)[`>]$/, "$1");
  return row;
}
