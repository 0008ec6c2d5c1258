// sim://street?fps=5 → scene and options

import type { ProbeFailure } from "@vision-agent/protocol";
import { type EngineError, sourceError } from "../../errors.ts";
import type { PixelSize } from "../../frames/frame.ts";
import { nearestName } from "../../nearest-name.ts";
import type { Scene } from "./scene.ts";
import { street } from "./street/street.ts";
import { warehouse } from "./warehouse/warehouse.ts";

const SCENES: readonly Scene[] = [street, warehouse];

/** Names that `sim://` knows. */
const SCENE_NAMES: readonly string[] = SCENES.map((scene) => scene.name);

const OPTION_NAMES = [
  "width",
  "height",
  "fps",
  "seed",
  "start",
  "outage",
  "freeze",
  "dark",
  "cover",
  "bump",
  "every",
] as const;
type OptionName = (typeof OPTION_NAMES)[number];

export interface SimAddress extends PixelSize {
  /** The address as it is shown. */
  readonly label: string;
  readonly scene: Scene;
  readonly fps: number;
  readonly seed: number;
  /** Scene second at the first opening; absent follows the system clock. */
  readonly start?: number;
  readonly faults: FaultPlan;
}

/** Throws `EngineError` kind `source`, reason `unknown_scene` or `bad_option`. */
export function parseSimAddress(address: string): SimAddress {
  const [, name = "", query = ""] = /^sim:\/\/([^/?#]*)\/?(?:\?([^#]*))?/i.exec(address) ?? [];
  const scene = sceneNamed(name);
  const options = createOptionReader(scene.name, query);
  const start = options.number("start", 0, 1e11);
  return {
    label: `sim://${scene.name}${query === "" ? "" : `?${query}`}`,
    scene,
    width: options.number("width", 64, 3840, { whole: true }) ?? 960,
    height: options.number("height", 64, 2160, { whole: true }) ?? 540,
    fps: options.number("fps", 0.1, 30) ?? 10,
    seed: options.number("seed", 0, 4294967295, { whole: true }) ?? 1,
    start,
    faults: {
      outage: options.window("outage"),
      freeze: options.window("freeze"),
      dark: options.window("dark"),
      cover: options.window("cover"),
      bumpMs: options.duration("bump"),
      everyMs: options.duration("every") ?? 0,
    },
  };
}

function sceneNamed(name: string): Scene {
  const scene = SCENES.find((known) => known.name === name.toLowerCase());
  if (scene !== undefined) return scene;
  const sentences = [
    name === "" ? "The address names no scene." : `There is no scene "${name}".`,
    suggestion(name, SCENE_NAMES),
    `The scenes are ${SCENE_NAMES.join(" and ")}.`,
  ];
  throw failure("unknown_scene", sentences);
}

function createOptionReader(scene: string, query: string) {
  const values = new URLSearchParams(query);
  for (const name of values.keys()) {
    if (OPTION_NAMES.some((known) => known === name)) continue;
    throw failure("bad_option", [
      `sim://${scene} has no option "${name}".`,
      suggestion(name, OPTION_NAMES),
      `The options are ${OPTION_NAMES.join(", ")}.`,
    ]);
  }
  const read = <T>(name: OptionName, parse: (text: string) => T | undefined, expected: string): T | undefined => {
    const text = values.get(name);
    if (text === null) return undefined;
    const value = parse(text);
    if (value !== undefined) return value;
    throw failure("bad_option", [`The option ${name} of sim://${scene} must be ${expected}, not "${text}".`]);
  };
  return {
    number: (name: OptionName, low: number, high: number, { whole = false } = {}): number | undefined => {
      const parse = (text: string): number | undefined => {
        const value = text.trim() === "" ? Number.NaN : Number(text);
        return value >= low && value <= high && (!whole || Number.isInteger(value)) ? value : undefined;
      };
      return read(name, parse, `a ${whole ? "whole " : ""}number from ${low} to ${high}`);
    },
    duration: (name: OptionName) => read(name, parseDuration, "a duration such as 500ms, 30s or 2m"),
    window: (name: OptionName) => read(name, parseWindow, "a duration and a beginning such as 10s@30s"),
  };
}

function suggestion(wanted: string, known: readonly string[]): string {
  const nearest = nearestName(wanted, known);
  return nearest === undefined ? "" : `Did you mean "${nearest}"?`;
}

function failure(reason: ProbeFailure, sentences: readonly string[]): EngineError {
  return sourceError(reason, sentences.filter((text) => text !== "").join(" "));
}

/** A part of time, in milliseconds since the first opening. */
export interface FaultWindow {
  readonly beginMs: number;
  readonly durationMs: number;
}

interface FaultPlan {
  /** The camera does not answer. */
  readonly outage?: FaultWindow;
  /** The same picture again and again. */
  readonly freeze?: FaultWindow;
  /** Nearly black. */
  readonly dark?: FaultWindow;
  /** Something lies over the lens. */
  readonly cover?: FaultWindow;
  /** From here on the camera looks elsewhere. */
  readonly bumpMs?: number;
  /** Windows come again after so long; 0 means once. */
  readonly everyMs: number;
}

/** When the window that holds `elapsedMs` began and ends, or `undefined` outside of it. */
export function activeWindow(
  window: FaultWindow | undefined,
  everyMs: number,
  elapsedMs: number,
): { readonly sinceMs: number; readonly untilMs: number } | undefined {
  if (window === undefined || elapsedMs < window.beginMs) return undefined;
  const round = everyMs > 0 ? Math.floor((elapsedMs - window.beginMs) / everyMs) : 0;
  const sinceMs = window.beginMs + round * everyMs;
  const untilMs = sinceMs + window.durationMs;
  return elapsedMs < untilMs ? { sinceMs, untilMs } : undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `500ms`, `10s`, `1.5m`, `1h` in milliseconds; `undefined` when it is not a duration. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit as string] as number);
}

/** `10s@30s`: for 10 seconds, beginning after 30. Without `@` it begins at once. */
export function parseWindow(text: string): FaultWindow | undefined {
  const [duration = "", begin = "0s", ...rest] = text.split("@");
  const [durationMs, beginMs] = [parseDuration(duration), parseDuration(begin)];
  if (durationMs === undefined || beginMs === undefined || rest.length > 0) return undefined;
  return { beginMs, durationMs };
}
