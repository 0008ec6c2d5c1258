// CAMERAS.md → cameras by name
import { type Camera, cameraSchema } from "@vision-agent/protocol";
import { isAddress, LONGEST_ADDRESS, sourceKey, withoutCredentials } from "./camera-address.ts";
import { CAMERA_TABLE } from "./camera-table.ts";
import { findTables } from "./markdown-table.ts";

/** A camera with its full address. The address may hold a password: it never leaves this process. */
export interface RegisteredCamera extends Camera {
  readonly address: string;
}

/** The cameras of `CAMERAS.md`. */
export interface CameraRegistry {
  list(): readonly RegisteredCamera[];
  /** By name, without regard to case. */
  find(name: string): RegisteredCamera | undefined;
}

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
  for (const row of findTables(markdown, CAMERA_TABLE).flatMap(({ rows }) => rows)) {
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
  if (address.length > LONGEST_ADDRESS) {
    return { message: `The address of ${name} is too long: ${LONGEST_ADDRESS} characters at most.` };
  }
  return { name, address, source: withoutCredentials(address), location, notes };
}

export interface CameraRegistryOptions {
  /** Text of `CAMERAS.md`. */
  readonly markdown: string;
  /** For this run only, as on the command line: `name=address` or an address. They win over rows of the same name. */
  readonly extra?: readonly string[];
}

export interface LoadedCameras extends CameraRegistry {
  /** Rows that were left out. */
  readonly warnings: readonly CameraWarning[];
  /** Takes the cameras of a changed `CAMERAS.md`; those of the command line stay. */
  reload(markdown: string): void;
}

/** Cameras by name. */
export function createCameraRegistry(options: CameraRegistryOptions): LoadedCameras {
  let warnings: readonly CameraWarning[] = [];
  let cameras = new Map<string, RegisteredCamera>();
  const reload = (markdown: string): void => {
    const parsed = parseCameras(markdown);
    cameras = new Map(parsed.cameras.map((camera) => [camera.name.toLowerCase(), camera]));
    const refused: CameraWarning[] = [];
    for (const text of options.extra ?? []) {
      const camera = readExtra(text, cameras);
      if ("message" in camera) refused.push({ line: 0, message: camera.message });
      else cameras.set(camera.name.toLowerCase(), camera);
    }
    warnings = [...parsed.warnings, ...refused];
  };
  reload(options.markdown);
  return {
    list: () => [...cameras.values()],
    find: (name) => cameras.get(name.trim().toLowerCase()),
    get warnings() {
      return warnings;
    },
    reload,
  };
}

function readExtra(
  text: string,
  taken: ReadonlyMap<string, RegisteredCamera>,
): RegisteredCamera | { readonly message: string } {
  const [, name, address] = /^([^=/\\]+)=(.+)$/.exec(text.trim()) ?? [];
  if (name && address) return toCamera({ name: name.trim(), address: address.trim() });
  if (!isAddress(text)) return { message: `"${text}" is neither name=address nor an address.` };
  return toCamera({ name: freeName(nameFrom(text), taken), address: text.trim() });
}

function nameFrom(address: string): string {
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^?#]*@)?([^/?#:]+)/i.exec(address)?.[1];
  const file = address
    .split(/[/\\]/)
    .at(-1)
    ?.replace(/\.\w+$/, "");
  const words = (host ?? file ?? "").replace(/[^\p{L}\p{N}_.-]+/gu, "-").replace(/^[-.]+/, "");
  return words.slice(0, 60) || "camera";
}

function freeName(name: string, taken: ReadonlyMap<string, RegisteredCamera>): string {
  let candidate = name;
  for (let number = 2; taken.has(candidate.toLowerCase()); number += 1) candidate = `${name}-${number}`;
  return candidate;
}

/** Cameras that show the same: all that are set up with this address, however it is spelt. */
export function camerasAt(cameras: readonly RegisteredCamera[], address: string): readonly RegisteredCamera[] {
  const key = sourceKey(address);
  return cameras.filter((one) => sourceKey(one.address) === key);
}
