// CAMERAS.md → cameras
import { cameraSchema } from "@vision-agent/protocol";
import { withoutCredentials } from "./camera-address.ts";
import type { RegisteredCamera } from "./camera-registry.ts";
import { findTables } from "./camera-table.ts";

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

/** Reads every table with the columns Name and URL; other text is left alone. */
export function parseCameras(markdown: string): ParsedCameras {
  const cameras = new Map<string, RegisteredCamera>();
  const warnings: CameraWarning[] = [];
  for (const row of findTables(markdown).flatMap(({ rows }) => rows)) {
    const line = row.line + 1;
    const camera = row.cells.name === "" ? { message: "This row has no name." } : toCamera(row.cells);
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
