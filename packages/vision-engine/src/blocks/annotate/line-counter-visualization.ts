// picture, line and counts → picture with the line drawn
import { EngineError } from "../../errors.ts";
import type { Block, BlockOutputs } from "../block.ts";
import { imageOf, numberOf, textOf } from "../block-inputs.ts";
import { toLineSegment } from "../count/line-counter.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { drawText } from "./draw-text.ts";
import { toCssColor } from "./palette.ts";

export const lineCounterVisualization: Block = {
  manifest: manifestOf("roboflow_core/line_counter_visualization@v1"),
  description: "Draws the line of a line counter with its two counts.",
  phrase: () => "draws the line with its counts",
  create: () => ({
    run(inputs): BlockOutputs {
      const line = toLineSegment(inputs.zone);
      if (line === undefined) {
        throw new EngineError({ kind: "input", message: `"zone" must be two different points: [[x, y], [x, y]].` });
      }
      const [[x1, y1], [x2, y2]] = line;
      const color = toCssColor(textOf(inputs, "color"));
      const thickness = numberOf(inputs, "thickness");
      const opacity = numberOf(inputs, "opacity");
      const scale = numberOf(inputs, "text_scale");
      const text = `in: ${numberOf(inputs, "count_in")}, out: ${numberOf(inputs, "count_out")}`;
      const image = imageOf(inputs, "image").withDrawing((context) => {
        context.strokeStyle = color;
        context.lineWidth = thickness;
        context.globalAlpha = opacity;
        // Added to the picture, not laid over it: that is how the original shows it.
        context.globalCompositeOperation = "lighter";
        context.beginPath();
        context.moveTo(x1 + 0.5, y1 + 0.5);
        context.lineTo(x2 + 0.5, y2 + 0.5);
        context.stroke();
        context.globalAlpha = 1;
        context.globalCompositeOperation = "source-over";
        const look = { color: "#000000", background: color, scale, padding: 0, borderRadius: 0 };
        drawText(context, { ...look, text, x: x1, y: y1, anchor: "CENTER" });
      });
      return { image };
    },
  }),
};
