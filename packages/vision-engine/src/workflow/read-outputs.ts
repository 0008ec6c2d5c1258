// outputs of a document → which value each shows
import type { WorkflowOutput } from "@vision-agent/protocol";
import { nearestName } from "../nearest-name.ts";
import type { Findings } from "./findings.ts";
import type { ParsedOutput } from "./parsed-workflow.ts";
import { nearestSelector, type Scope } from "./scope.ts";
import { parseSelector } from "./selector.ts";

export function readOutputs(
  written: readonly WorkflowOutput[],
  scope: Scope,
  findings: Findings,
): readonly ParsedOutput[] {
  return written.flatMap((output) => {
    const place = { step: "$outputs", property: output.name };
    if (output.type !== "JsonField") {
      const didYouMean = nearestName(output.type, ["JsonField"]) ?? "JsonField";
      findings.add("syntax", `There is no output type "${output.type}".`, { ...place, didYouMean });
    }
    const source = parseSelector(output.selector);
    if (source === undefined || source.kind === "step") {
      const message = `"${output.selector}" is no selector: write $inputs.<name> or $steps.<step>.<output>.`;
      const didYouMean = nearestSelector(scope, output.selector, ["*"]);
      findings.add("syntax", message, { ...place, didYouMean });
      return [];
    }
    return [{ name: output.name, source, coordinates: output.coordinates_system ?? "parent" }];
  });
}
