import { isAddress } from "./camera-address.ts";
import type { CameraRegistry, RegisteredCamera } from "./camera-registry.ts";
import { type CameraWarning, parseCameras, toCamera } from "./parse-cameras.ts";

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
