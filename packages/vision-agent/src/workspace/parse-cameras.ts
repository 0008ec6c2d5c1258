// CAMERAS.md → cameras
import { cameraSchema } from "@vision-agent/protocol";
import { withoutCredentials } from "./camera-address.ts";
import type { RegisteredCamera } from "./camera-registry.ts";

/** A row that was left out, and why. */
export interface CameraWarning {
  /** Line of `CAMERAS.md`, from 1; 0 for one from the command line. */
  readonly line: number;
  readonly message: string;
}

export interface ParsedCameras {
  readonly cameras: readonly RegisteredCamera[];
  readonly warnings: readonly CameraWarning[];
}

type Column = "name" | "address" | "location" | "notes";
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

/** Reads every table with the columns Name and URL; other text is left alone. */
export function parseCameras(markdown: string): ParsedCameras {
  const cameras = new Map<string, RegisteredCamera>();
  const warnings: CameraWarning[] = [];
  for (const { line, row } of rowsOf(markdown)) {
    const camera = row.name === "" ? { message: "This row has no name." } : toCamera(row);
    if ("message" in camera) warnings.push({ line, message: camera.message });
    else if (cameras.has(camera.name.toLowerCase())) {
      warnings.push({ line, message: `A camera called ${camera.name} stands further up; this row is left out.` });
    } else cameras.set(camera.name.toLowerCase(), camera);
  }
  return { cameras: [...cameras.values()], warnings };
}

/** Name and address → a camera, or the sentence that says why not. */
export function toCamera(row: {
  readonly name: string;
  readonly address: string;
  readonly location?: string;
  readonly notes?: string;
}): RegisteredCamera | { readonly message: string } {
  const { name, address, location = "", notes = "" } = row;
  if (!cameraSchema.shape.name.safeParse(name).success) {
    const message = `"${name}" cannot be the name of a camera: letters, digits, blanks and . _ - are allowed, 64 at most.`;
    return { message };
  }
  if (address === "") return { message: `The camera ${name} has no URL.` };
  return { name, address, source: withoutCredentials(address), location, notes };
}

function* rowsOf(markdown: string): Generator<{ readonly line: number; readonly row: Record<Column, string> }> {
  let header: readonly (Column | undefined)[] | undefined;
  let fenced = false;
  for (const [index, text] of markdown.split(/\r?\n/).entries()) {
    if (/^\s*(```|~~~)/.test(text)) fenced = !fenced;
    const cells = fenced ? undefined : cellsOf(text);
    if (cells === undefined) header = undefined;
    else if (header === undefined) header = headerOf(cells);
    else if (cells.some((cell) => !/^(:?-+:?)?$/.test(cell))) yield { line: index + 1, row: toRow(header, cells) };
  }
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

function toRow(header: readonly (Column | undefined)[], cells: readonly string[]): Record<Column, string> {
  const row: Record<Column, string> = { name: "", address: "", location: "", notes: "" };
  header.forEach((column, index) => {
    if (column) row[column] = cells[index] ?? "";
  });
  row.address = row.address.replace(/^[`<](.*)[`>]$/, "$1");
  return row;
}
