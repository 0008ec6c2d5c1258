// picture, lines and zones → picture with them drawn
import type { SKRSContext2D } from "@napi-rs/canvas";
import { inputError } from "../../errors.ts";
import { type Block, numberOf, textOf } from "../block.ts";
import { toLineSegment, toPoints, toPolygon } from "../count/zones.ts";
import { opacityOf } from "./area-visualizations.ts";
import { BLACK, parseColor, toCss, WHITE } from "./color.ts";
import { drawingBlock, strokePoints, tracePoints } from "./drawing-block.ts";
import { drawText, fontOf, fontSizeOf } from "./text.ts";

export const lineCounterVisualization: Block = drawingBlock({
  type: "line_counter_visualization@v1",
  description: "Draws the line of a line counter with its two counts.",
  phrase: "draws the line with its counts",
  prepare: (inputs) => {
    const line = toLineSegment(inputs.zone);
    if (line === undefined) throw inputError(`"zone" must be two different points: [[x, y], [x, y]].`);
    const [[x, y]] = line;
    const color = parseColor(textOf(inputs, "color"));
    const thickness = numberOf(inputs, "thickness");
    const opacity = opacityOf(inputs);
    const fontSize = fontSizeOf(numberOf(inputs, "text_scale"));
    const font = fontOf(numberOf(inputs, "text_thickness"));
    const text = `in: ${numberOf(inputs, "count_in")}, out: ${numberOf(inputs, "count_out")}`;
    return (context) => {
      addLight(context, opacity, () => strokePoints(context, [line], { color, thickness }));
      const look = { color: BLACK, background: WHITE, font, fontSize, padding: 0, borderRadius: 0 };
      drawText(context, { ...look, text, x, y, anchor: "CENTER" });
    };
  },
});

export const polygonZoneVisualization: Block = drawingBlock({
  type: "polygon_zone_visualization@v1",
  description: "Draws one or more zones as tinted areas.",
  phrase: "draws the zone",
  prepare: (inputs) => {
    const { zone } = inputs;
    if (!Array.isArray(zone) || zone.length === 0) return undefined;
    const one = toPolygon(zone);
    const zones = one === undefined ? zone.map(toPolygon) : [one];
    const color = toCss(parseColor(textOf(inputs, "color")));
    const opacity = opacityOf(inputs);
    return (context) =>
      addLight(context, opacity, () => {
        context.fillStyle = color;
        context.beginPath();
        for (const polygon of zones) if (polygon !== undefined) tracePoints(context, polygon, { closed: true });
        context.fill("evenodd");
      });
  },
});

export const referencePathVisualization: Block = drawingBlock({
  type: "reference_path_visualization@v1",
  description: "Draws a path that objects are meant to follow.",
  phrase: "draws the path",
  prepare: (inputs) => {
    const path = toPoints(inputs.reference_path);
    if (path === undefined) throw inputError(`"reference_path" must be a list of points: [[x, y], [x, y], …].`);
    const color = parseColor(textOf(inputs, "color"));
    const thickness = numberOf(inputs, "thickness");
    return (context) => strokePoints(context, [path], { color, thickness });
  },
});

/** Added to the picture, not laid over it: that is how the original shows lines and zones. */
function addLight(context: SKRSContext2D, opacity: number, draw: () => void): void {
  context.globalAlpha = opacity;
  context.globalCompositeOperation = "lighter";
  draw();
  context.globalAlpha = 1;
  context.globalCompositeOperation = "source-over";
}
