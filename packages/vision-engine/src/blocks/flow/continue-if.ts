// statement on values → the run goes on here, or not

import type { QueryScope } from "../../query/operations/operation.ts";
import { createQueryCache } from "../../query/query-cache.ts";
import type { Block } from "../block.ts";
import { numberOr, textsOf } from "../block-inputs.ts";
import { FlowControl } from "../flow-control.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

export const continueIf: Block = {
  manifest: manifestOf("roboflow_core/continue_if@v1"),
  description: "Runs the next steps only while a condition holds, and for a while after it held.",
  phrase: () => "goes on only if its condition holds",
  create: (context) => {
    const query = createQueryCache(context);
    let heldAt: number | undefined;
    return {
      run(inputs) {
        const next = textsOf(inputs, "next_steps") ?? [];
        if (next.length === 0) return new FlowControl();
        const delayMs = 1000 * numberOr(inputs, "stop_delay", 0);
        const holds = query.statement(inputs.condition_statement)((inputs.evaluation_parameters ?? {}) as QueryScope);
        const now = context.now();
        if (holds && delayMs > 0) heldAt = now;
        const lasts = heldAt !== undefined && now - heldAt <= delayMs;
        return new FlowControl(holds || lasts ? next : undefined);
      },
    };
  },
};
