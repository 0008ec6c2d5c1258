// picture and anomaly map → picture tinted where it is unusual
import { inputError } from "../../errors.ts";
import { roundHalfEven } from "../../geometry/points.ts";
import type { Block, BlockValue } from "../block.ts";
import { numberOf, textOf } from "../block-inputs.ts";
import { opacityOf } from "./area-visualizations.ts";
import { editPixels, mixInto } from "./canvas-pixels.ts";
import { type Color, ofHexDigits } from "./color.ts";
import { type RampName, rampBytes } from "./color-ramps.ts";
import { drawingBlock } from "./drawing-block.ts";

interface Tint {
  readonly color: Color;
  /** How much of it shows, 0 to 1. */
  readonly alpha: number;
}

/** Colours by position from 0 to 1; one half is the threshold. */
const OWN_RAMP: readonly (Tint & { readonly at: number })[] = [
  { at: 0, color: ofHexDigits("FFD600"), alpha: 0 },
  { at: 0.25, color: ofHexDigits("FFD600"), alpha: 0.55 },
  { at: 0.5, color: ofHexDigits("FF7A00"), alpha: 0.85 },
  { at: 1, color: ofHexDigits("DC1E1E"), alpha: 1 },
];

const RAMPS: Readonly<Record<string, RampName>> = {
  JET: "jet",
  TURBO: "turbo",
  INFERNO: "inferno",
  VIRIDIS: "viridis",
  HOT: "hot",
};

export const anomalyHeatmapVisualization: Block = drawingBlock({
  type: "anomaly_heatmap_visualization@v1",
  description: "Tints the picture where it is unusual.",
  phrase: "tints what is unusual",
  prepare: (inputs, { width, height }) => {
    const map = toMap(inputs.anomaly_map ?? null);
    const tintAt = createTint(textOf(inputs, "color_map").toUpperCase());
    const opacity = opacityOf(inputs);
    const scaled = toScale(map, numberOf(inputs, "anomaly_threshold"));
    return (context) =>
      editPixels(context, (rgba) => {
        for (let pixel = 0; pixel < width * height; pixel++) {
          const x = ((pixel % width) + 0.5) * (scaled[0]!.length / width) - 0.5;
          const y = (Math.trunc(pixel / width) + 0.5) * (scaled.length / height) - 0.5;
          const { color, alpha } = tintAt(valueAt(scaled, x, y));
          mixInto(rgba, 4 * pixel, color, alpha * opacity);
        }
      });
  },
});

function toMap(value: BlockValue): readonly (readonly number[])[] {
  const isMap = Array.isArray(value) && value.length > 0 && value.every((row) => Array.isArray(row) && row.length > 0);
  if (isMap) return value as unknown as readonly (readonly number[])[];
  throw inputError(`"anomaly_map" is missing: let the anomaly model give it with "include_anomaly_map".`);
}

/** Values on a scale from 0 to 1 on which the threshold is one half. */
function toScale(map: readonly (readonly number[])[], threshold: number): readonly (readonly number[])[] {
  if (!Number.isFinite(threshold)) throw inputError(`"anomaly_threshold" must be a finite number.`);
  return map.map((row) =>
    row.map((value) => {
      if (value <= 0) return 0;
      return threshold <= 0 ? 1 : value / (value + threshold);
    }),
  );
}

/** Between the four values around a place; the edges go on beyond the map. */
function valueAt(map: readonly (readonly number[])[], x: number, y: number): number {
  const within = (value: number, most: number): number => Math.min(most, Math.max(0, value));
  const [column, row] = [within(x, map[0]!.length - 1), within(y, map.length - 1)];
  const [left, top] = [Math.floor(column), Math.floor(row)];
  const [right, bottom] = [within(left + 1, map[0]!.length - 1), within(top + 1, map.length - 1)];
  const above = map[top]![left]! + (column - left) * (map[top]![right]! - map[top]![left]!);
  const below = map[bottom]![left]! + (column - left) * (map[bottom]![right]! - map[bottom]![left]!);
  return above + (row - top) * (below - above);
}

function createTint(name: string): (value: number) => Tint {
  if (name === "ROBOFLOW") return ownTint;
  const ramp = RAMPS[name];
  if (ramp === undefined) {
    throw inputError(`"color_map" knows no "${name}": take ROBOFLOW or one of ${Object.keys(RAMPS).join(", ")}.`);
  }
  const bytes = rampBytes(ramp);
  return (value) => {
    const at = 3 * roundHalfEven(255 * value);
    return { color: { r: bytes[at]!, g: bytes[at + 1]!, b: bytes[at + 2]! }, alpha: 1 };
  };
}

function ownTint(value: number): Tint {
  const next = OWN_RAMP.findIndex(({ at }) => at > value);
  if (next < 0) return OWN_RAMP.at(-1)!;
  const [low, high] = [OWN_RAMP[next - 1]!, OWN_RAMP[next]!];
  const share = (value - low.at) / (high.at - low.at);
  const mix = (from: number, to: number): number => from + share * (to - from);
  return {
    color: {
      r: roundHalfEven(mix(low.color.r, high.color.r)),
      g: roundHalfEven(mix(low.color.g, high.color.g)),
      b: roundHalfEven(mix(low.color.b, high.color.b)),
    },
    alpha: mix(low.alpha, high.alpha),
  };
}
