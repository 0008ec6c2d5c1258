// selectors of a document → the inputs and outputs they name
import type { WorkflowProblem } from "@vision-agent/protocol";
import type { BlockManifest } from "../blocks/manifests/block-manifest.ts";
import { nearestName } from "../nearest-name.ts";
import type { Binding, ParsedInput } from "./parsed-workflow.ts";
import { parseSelector, type Selector } from "./selector.ts";

/** What selectors can name. A step whose block type is unknown has no manifest. */
export interface Scope {
  readonly inputs: ReadonlyMap<string, ParsedInput>;
  readonly steps: ReadonlyMap<string, BlockManifest | undefined>;
}

/** Where a selector stands. */
export interface Place {
  readonly step: string;
  readonly property: string;
}

export type Pointer = Extract<Binding, { kind: "input" | "output" }>;

/** The kinds at the end of a selector, or what is wrong with it. */
type Target =
  | { readonly kind: "found"; readonly pointer: Pointer; readonly kinds: readonly string[] }
  /** Points at a step that is itself wrong; said there. */
  | { readonly kind: "untold"; readonly pointer: Pointer }
  | { readonly kind: "missing"; readonly message: string; readonly didYouMean?: string };

/** Follows a selector; what is wrong with it goes to `problems`. `kinds` are those accepted here, `*` any. */
export function followSelector(
  scope: Scope,
  place: Place,
  { text, kinds }: { text: string; kinds: readonly string[] },
  problems: WorkflowProblem[],
): Pointer | undefined {
  const selector = parseSelector(text);
  const target = selector === undefined ? notSelector(scope, text, kinds) : targetOf(scope, selector, kinds);
  if (target.kind === "untold") return target.pointer;
  if (target.kind === "missing") {
    const { message, didYouMean } = target;
    problems.push({ ...place, message, ...(didYouMean === undefined ? {} : { did_you_mean: didYouMean }) });
    return undefined;
  }
  if (kindsMeet(target.kinds, kinds)) return target.pointer;
  const better = selectorsOf(scope, kinds).find((candidate) => sameOwner(candidate, text) && candidate !== text);
  problems.push({
    ...place,
    message: `"${text}" gives ${target.kinds.join(" or ")}, but "${place.property}" takes ${kinds.join(" or ")}.`,
    ...(better === undefined ? {} : { did_you_mean: better }),
  });
  return undefined;
}

function targetOf(scope: Scope, selector: Selector, kinds: readonly string[]): Target {
  switch (selector.kind) {
    case "input":
      return inputTarget(scope, selector.name);
    case "output":
      return outputTarget(scope, selector, kinds);
    case "step": {
      const choices = selectorsOf(scope, kinds).filter((candidate) => candidate.startsWith(`$steps.${selector.step}.`));
      const [didYouMean] = choices.length > 0 ? choices : selectorsOf(scope, kinds);
      return {
        kind: "missing",
        message: `"$steps.${selector.step}" names a step; name one of its outputs.`,
        ...(didYouMean === undefined ? {} : { didYouMean }),
      };
    }
  }
}

function inputTarget(scope: Scope, name: string): Target {
  const input = scope.inputs.get(name);
  if (input !== undefined) return { kind: "found", pointer: { kind: "input", name }, kinds: input.kinds };
  return missing(`There is no input "${name}".`, nearestName(name, scope.inputs.keys()), (near) => `$inputs.${near}`);
}

function outputTarget(
  scope: Scope,
  { step, property }: Extract<Selector, { kind: "output" }>,
  kinds: readonly string[],
): Target {
  if (!scope.steps.has(step)) {
    const near = nearestName(step, scope.steps.keys());
    return missing(`There is no step "${step}".`, near, (name) => `$steps.${name}.${property}`);
  }
  const pointer: Pointer = { kind: "output", step, property };
  const manifest = scope.steps.get(step);
  if (manifest === undefined) return { kind: "untold", pointer };
  const output = manifest.outputs.find(({ name }) => name === property);
  if (output !== undefined) return { kind: "found", pointer, kinds: output.kinds };
  if (manifest.dynamicOutputs) return { kind: "found", pointer, kinds: ["*"] };
  const fitting = manifest.outputs.filter((candidate) => kindsMeet(candidate.kinds, kinds)).map(({ name }) => name);
  const near =
    nearestName(
      property,
      manifest.outputs.map(({ name }) => name),
    ) ?? fitting[0];
  const names = manifest.outputs.map(({ name }) => name).join(", ");
  return missing(
    `Step "${step}" has no output "${property}"; it has ${names}.`,
    near,
    (name) => `$steps.${step}.${name}`,
  );
}

function notSelector(scope: Scope, text: string, kinds: readonly string[]): Target {
  const candidates = selectorsOf(scope, kinds);
  const didYouMean = nearestName(text, candidates) ?? candidates[0];
  return {
    kind: "missing",
    message: `"${text}" is no selector: write $inputs.<name> or $steps.<step>.<output>.`,
    ...(didYouMean === undefined ? {} : { didYouMean }),
  };
}

function missing(message: string, near: string | undefined, toSelector: (name: string) => string): Target {
  return { kind: "missing", message, ...(near === undefined ? {} : { didYouMean: toSelector(near) }) };
}

/** Every selector that gives one of these kinds. */
function selectorsOf(scope: Scope, kinds: readonly string[]): readonly string[] {
  const inputs = [...scope.inputs.values()].filter((input) => kindsMeet(input.kinds, kinds));
  const outputs = [...scope.steps].flatMap(([step, manifest]) =>
    (manifest?.outputs ?? [])
      .filter((output) => kindsMeet(output.kinds, kinds))
      .map((output) => `$steps.${step}.${output.name}`),
  );
  return [...inputs.map(({ name }) => `$inputs.${name}`), ...outputs];
}

function kindsMeet(given: readonly string[], accepted: readonly string[]): boolean {
  return given.includes("*") || accepted.includes("*") || given.some((kind) => accepted.includes(kind));
}

function sameOwner(one: string, other: string): boolean {
  return ownerOf(one) === ownerOf(other);
}

function ownerOf(selector: string): string {
  return selector.slice(0, selector.lastIndexOf("."));
}
