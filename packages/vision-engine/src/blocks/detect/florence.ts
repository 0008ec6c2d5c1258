// image → sentences that say what is on it
import type { CaptionStyle } from "../../models/model.ts";
import { toJsonText } from "../../query/python-text.ts";
import { type Block, imageOf, manifestOf, perElement, type StepText, textOf, textsOf } from "../block.ts";
import { createOpenedModels, literalModel } from "./model-blocks.ts";

const STYLES: Readonly<Record<string, CaptionStyle>> = {
  caption: "short",
  "detailed-caption": "detailed",
  "more-detailed-caption": "longest",
};

export const FLORENCES: readonly Block[] = [florenceBlock("v1", "model_version"), florenceBlock("v2", "model_id")];

function florenceBlock(number: string, modelProperty: string): Block {
  const known = (step: StepText): readonly string[] =>
    [literalModel(step, modelProperty)].filter((id) => id !== undefined);
  return {
    manifest: manifestOf(`roboflow_core/florence_2@${number}`),
    description:
      "Says in one or more sentences what is on a picture, with Florence-2. Its other tasks do not run here.",
    stateless: true,
    phrase: () => "says what is on the picture",
    models: known,
    problems: ({ properties: { task_type: task } }) =>
      typeof task === "string" && Object.hasOwn(STYLES, task)
        ? []
        : [{ property: "task_type", message: `Of Florence-2, only ${Object.keys(STYLES).join(", ")} run here.` }],
    async create(context) {
      const models = createOpenedModels(context.models, "captioning");
      // Opened now, so that a missing package is told at the start and not at the first frame.
      for (const id of known(context.step)) await models.get(id);
      return {
        run: perElement(async (inputs) => {
          const model = await models.get(textOf(inputs, modelProperty));
          const caption = await model.caption(imageOf(inputs, "images"), STYLES[textOf(inputs, "task_type")]!);
          return {
            raw_output: toJsonText(caption),
            parsed_output: null,
            classes: textsOf(inputs, "classes") ?? [],
          };
        }),
        close: () => models.close(),
      };
    },
  };
}
