// text of a property → what it points to
/** `$inputs.name`, `$steps.name.property` or, for steps that choose how to go on, `$steps.name`. */
export type Selector =
  | { readonly kind: "input"; readonly name: string }
  | { readonly kind: "output"; readonly step: string; readonly property: string }
  | { readonly kind: "step"; readonly step: string };

/** Absent when the text is no selector. */
export function parseSelector(text: string): Selector | undefined {
  const [, name] = /^\$inputs\.([\w-]+)$/.exec(text) ?? [];
  if (name !== undefined) return { kind: "input", name };
  const [, step, property] = /^\$steps\.([\w-]+)(?:\.([\w*-]+))?$/.exec(text) ?? [];
  if (step === undefined) return undefined;
  return property === undefined ? { kind: "step", step } : { kind: "output", step, property };
}
