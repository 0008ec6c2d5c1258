// the columns of CAMERAS.md
import type { TableCells, TableFormat, TableRow } from "./markdown-table.ts";

export type CameraColumn = "name" | "address" | "location" | "notes";
export type CameraCells = TableCells<CameraColumn>;
export type CameraRow = TableRow<CameraColumn>;

export const CAMERA_TABLE: TableFormat<CameraColumn> = {
  titles: {
    name: "name",
    camera: "name",
    url: "address",
    source: "address",
    address: "address",
    location: "location",
    place: "location",
    notes: "notes",
    note: "notes",
  },
  needed: ["name", "address"],
  columns: [
    ["name", "Name"],
    ["address", "URL"],
    ["location", "Location"],
    ["notes", "Notes"],
  ],
  quoted: ["address"],
};
