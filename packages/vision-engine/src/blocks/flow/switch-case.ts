// value → the one step that is meant for it
import { numberText, toText } from "../../query/python-text.ts";
import type { Block, BlockValue } from "../block.ts";
import { textsOf } from "../block-inputs.ts";
import { FlowControl } from "../flow-control.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

export const switchCase: Block = {
  manifest: manifestOf("roboflow_core/switch_case@v1"),
  description: "Runs the step that belongs to a value, else the default steps.",
  stateless: true,
  phrase: () => "goes on with the step for the value",
  create: () => ({
    run(inputs) {
      const cases = (inputs.cases ?? {}) as Readonly<Record<string, string>>;
      const target = targetOf(inputs.value ?? null, cases, inputs.case_insensitive === true);
      if (target !== undefined) return new FlowControl([target]);
      const fallback = textsOf(inputs, "default_next_steps") ?? [];
      return new FlowControl(fallback.length > 0 ? fallback : undefined);
    },
  }),
};

function targetOf(
  value: BlockValue,
  cases: Readonly<Record<string, string>>,
  caseInsensitive: boolean,
): string | undefined {
  const texts = [toText(value)];
  // 1 and 1.0 are one number here, and two cases there.
  if (Number.isInteger(value)) texts.push(numberText(value as number, "float"));
  const form = (text: string): string => (caseInsensitive ? text.toLowerCase() : text);
  for (const text of texts.map(form)) {
    const found = Object.keys(cases).find((name) => form(name) === text);
    if (found !== undefined) return cases[found];
  }
  return undefined;
}
