import { parseColor } from "../../src/blocks/annotate/color.ts";
import { textScaleFor } from "../../src/blocks/annotate/label-visualizations.ts";
import type { BlockValue } from "../../src/blocks/block.ts";
import { fillTemplate } from "../../src/blocks/notify/notification.ts";
import { createQueryCache } from "../../src/query/statements.ts";
import type { Drivers, RecordedObject } from "../vector-record.ts";

export const ANNOTATE_DRIVERS: Drivers = {
  "utils.str_to_color": ({ color }) => parseColor(color as string),
  "label_text.compute_adaptive_label_text_scale": ({ width, height, manual_text_scale, text_size_mode }) =>
    textScaleFor({
      width: width as number,
      height: height as number,
      manual: manual_text_scale as number,
      automatic: text_size_mode === "Automatic",
    }),
  "text_display.format_text_with_parameters": ({ text, text_parameters, text_parameters_operations }) =>
    fillTemplate(
      {
        message: text as string,
        parameters: text_parameters as RecordedObject as Record<string, BlockValue>,
        operations: text_parameters_operations as RecordedObject as Record<string, BlockValue>,
      },
      createQueryCache({ now: () => 0, random: () => 0.5 }),
    ),
};
