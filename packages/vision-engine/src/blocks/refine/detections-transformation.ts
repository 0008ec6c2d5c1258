// detections and a list of operations → other detections
import { inputError } from "../../errors.ts";
import { Detections } from "../../frames/detections.ts";
import { type CompiledOperations, compileOperations } from "../../query/statements.ts";
import type { Block, BlockOutputs, BlockValue } from "../block.ts";
import { detectionsOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { perElement } from "../per-element.ts";

/** The name under which operations know the value they work on. */
const RESERVED_PARAMETER = "_";

export const detectionsFilter = operationsBlock({
  type: "roboflow_core/detections_filter@v1",
  description: "Keeps the detections that fulfil conditions, such as class, size, place or confidence.",
  phrase: "keeps those that fulfil the conditions",
});

export const detectionsTransformation = operationsBlock({
  type: "roboflow_core/detections_transformation@v1",
  description: "Changes detections by a list of operations: filters, shifts, renames, sorts or selects them.",
  phrase: "transforms the detections",
});

function operationsBlock(options: {
  readonly type: string;
  readonly description: string;
  readonly phrase: string;
}): Block {
  return {
    manifest: manifestOf(options.type),
    description: options.description,
    stateless: true,
    phrase: () => options.phrase,
    create: (context) => {
      // Operations may come from a parameter, so they are compiled when they are first seen.
      let compiled: { readonly of: BlockValue | undefined; readonly run: CompiledOperations } | undefined;
      return {
        run: perElement((inputs): BlockOutputs => {
          const { operations, operations_parameters } = inputs;
          const parameters = (operations_parameters ?? {}) as Readonly<Record<string, BlockValue>>;
          if (RESERVED_PARAMETER in parameters) {
            throw inputError(`"${RESERVED_PARAMETER}" cannot be the name of a parameter of operations: rename it.`);
          }
          if (compiled === undefined || compiled.of !== operations) {
            compiled = { of: operations, run: compileOperations(operations, context) };
          }
          const predictions = compiled.run(detectionsOf(inputs, "predictions"), parameters);
          if (predictions instanceof Detections) return { predictions };
          throw inputError(
            `The operations turn the detections into something else; the last one must give detections.`,
          );
        }),
      };
    },
  };
}
