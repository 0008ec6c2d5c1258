// value of a video → the run goes on when it changed
import { isEqual } from "../../query/python-values.ts";
import type { Block, BlockValue } from "../block.ts";
import { imageOf, textsOf } from "../block-inputs.ts";
import { FlowControl } from "../flow-control.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

export const deltaFilter: Block = {
  manifest: manifestOf("roboflow_core/delta_filter@v1"),
  description: "Runs the next steps only when a value differs from the last one of the same video.",
  phrase: () => "goes on only when the value changed",
  create: ({ now }) => {
    const last = new Map<string, BlockValue>();
    return {
      run(inputs) {
        const { videoIdentifier } = imageOf(inputs, "image").videoOrDefault(now());
        const value = inputs.value ?? null;
        if (isEqual(last.get(videoIdentifier) ?? null, value)) return new FlowControl();
        last.set(videoIdentifier, value);
        return new FlowControl(textsOf(inputs, "next_steps"));
      },
    };
  },
};
