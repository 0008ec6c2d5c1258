// detections → those that overlap a thing of one class
import { inputError } from "../../errors.ts";
import { classNamesOf, type Detections, selectRows } from "../../frames/detections.ts";
import { anchorX, anchorY } from "../../geometry/boxes.ts";
import { detectionsOf, textOf } from "../block-inputs.ts";
import { statelessBlock } from "../stateless-block.ts";

type Overlaps = (detections: Detections, row: number, holder: number) => boolean;

const OVERLAPS: Readonly<Record<string, Overlaps>> = {
  "Center Overlap": ({ xyxy }, row, holder) => {
    const [x, y] = [anchorX("CENTER", xyxy, row), anchorY("CENTER", xyxy, row)];
    const at = 4 * holder;
    return x > xyxy[at]! && x < xyxy[at + 2]! && y > xyxy[at + 1]! && y < xyxy[at + 3]!;
  },
  "Any Overlap": ({ xyxy }, row, holder) => {
    const [a, b] = [4 * row, 4 * holder];
    const apartX = xyxy[a]! > xyxy[b + 2]! || xyxy[b]! > xyxy[a + 2]!;
    return !apartX && xyxy[a + 1]! <= xyxy[b + 3]! && xyxy[b + 1]! <= xyxy[a + 3]!;
  },
};

export const overlap = statelessBlock({
  type: "roboflow_core/overlap@v1",
  description: "Keeps what overlaps a thing of one class, such as goods in a basket.",
  phrase: (step) => `keeps what overlaps '${step.properties.overlap_class_name}'`,
  run: (inputs) => {
    const detections = detectionsOf(inputs, "predictions");
    const className = textOf(inputs, "overlap_class_name");
    const overlaps = OVERLAPS[textOf(inputs, "overlap_type")];
    if (overlaps === undefined) throw inputError(`"overlap_type" knows ${Object.keys(OVERLAPS).join(" and ")}.`);
    const names = classNamesOf(detections);
    const holders = [...names.keys()].filter((row) => names[row] === className);
    const kept = [...names.keys()].filter(
      (row) => names[row] !== className && holders.some((holder) => overlaps(detections, row, holder)),
    );
    return { overlaps: selectRows(detections, kept) };
  },
});
