// picture → angle of its straight edges → upright picture
import { inputError } from "../../errors.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { dominantGradientAngle, shrinkTo } from "../../pixels/edge-angle.ts";
import { turnOf, warpAffine } from "../../pixels/warp-affine.ts";
import type { Block, BlockInputs } from "../block.ts";
import { imageOf, numberOf, textOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { greyOf, planesOf, withPlanes } from "./image-planes.ts";

export const autoRotateOnEdges: Block = {
  manifest: manifestOf("roboflow_core/auto_rotate_on_edges@v1"),
  description: "Turns a picture so that its straight edges stand upright or lie level.",
  stateless: true,
  phrase: () => "straightens the picture",
  create: () => ({
    run(inputs) {
      const image = imageOf(inputs, "image");
      const angle = angleOf(image, inputs);
      if (angle === undefined) return { image, angle: 0 };
      const turn = turnOf(image.width, image.height, angle);
      const planes = planesOf(image).map((plane) => warpAffine(plane, turn));
      return { image: withPlanes(image, planes), angle };
    },
  }),
};

/** Degrees to turn by; absent when no edge stands out, or the turn is too small or too large to be meant. */
function angleOf(image: ImageValue, inputs: BlockInputs): number | undefined {
  const orientation = textOf(inputs, "target_orientation");
  if (!["vertical", "horizontal", "either"].includes(orientation)) {
    throw inputError(`target_orientation must be one of 'vertical', 'horizontal', 'either', got: '${orientation}'`);
  }
  const direction = dominantGradientAngle(shrinkTo(greyOf(image), numberOf(inputs, "internal_resolution")));
  if (direction === undefined) return undefined;
  const wanted = orientation === "horizontal" ? direction - 90 : direction;
  const angle = nearestTurn(wanted, orientation === "either" ? 90 : 180);
  const size = Math.abs(angle);
  const isMeant = size >= numberOf(inputs, "skip_below_degrees") && size <= numberOf(inputs, "max_correction_degrees");
  return isMeant ? angle : undefined;
}

/** The same turn within half a period to either side. */
function nearestTurn(angle: number, period: number): number {
  const turned = ((angle % period) + period) % period;
  return turned > period / 2 ? turned - period : turned;
}
