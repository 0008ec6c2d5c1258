// steps of a workflow → which of them may give a picture as text or bytes
import type { WorkflowSpec } from "@vision-agent/protocol";

const WRITES_PICTURE = /"ConvertImageTo(?:Base64|JPEG)"/;
/** What one step keeps another may take out, in a later run at the latest. */
const TAKES_OUT = /"roboflow_core\/cache_get@|"cache_get@/;

/** Names of steps that write a picture as text, and of all that are fed what such a step gave. */
export function pictureTextSteps(steps: readonly { readonly name: string }[]): ReadonlySet<string> {
  const texts = new Map(steps.map((step) => [step.name, JSON.stringify(step)]));
  const writers = [...texts].filter(([, text]) => WRITES_PICTURE.test(text)).map(([name]) => name);
  const found = new Set(writers);
  if (found.size === 0) return found;
  for (const [name, text] of texts) if (TAKES_OUT.test(text)) found.add(name);
  // Steps may stand in any order.
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [name, text] of texts) if (isFed(text, found)) found.add(name);
  }
  return found;
}

/** Names of outputs that may hold a picture as text. */
export function pictureTextOutputs({ steps, outputs }: Pick<WorkflowSpec, "steps" | "outputs">): ReadonlySet<string> {
  const found = pictureTextSteps(steps);
  return new Set(outputs.filter(({ selector }) => isFed(`"${selector}"`, found)).map(({ name }) => name));
}

/** Whether it names an output of one of these steps. */
export function isFed(text: string, steps: ReadonlySet<string>): boolean {
  return [...steps].some((name) => text.includes(`$steps.${name}.`));
}
