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

/** Whether a value is meant as a selector, well-formed or not. */
export function isReference(value: unknown): value is string {
  return typeof value === "string" && (value.startsWith("$inputs.") || value.startsWith("$steps."));
}

export function inputSelector(name: string): string {
  return `$inputs.${name}`;
}

export function stepSelector(name: string): string {
  return `$steps.${name}`;
}

/** `$steps.detect.predictions` → `$steps.detect`; other selectors stay. */
export function ownerOf(selector: string): string {
  return selector.split(".").slice(0, 2).join(".");
}

/** `$steps.detect.predictions` → `predictions`. */
export function lastPartOf(selector: string): string {
  return selector.slice(selector.lastIndexOf(".") + 1);
}
