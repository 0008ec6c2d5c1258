// selectors of steps and outputs → checked against what they name
import { type PropertyType, parsePropertyType } from "../blocks/manifests/property-type.ts";
import { nearestName } from "../nearest-name.ts";
import type { Category, Findings, SpecPlace } from "./findings.ts";
import { type Binding, type ParsedOutput, type ParsedStep, type Source, sourcesOf } from "./parsed-workflow.ts";
import { inputSelector, kindsMeet, ownerOf, type Scope, selectorsOf, stepSelector } from "./selector.ts";

type Pointer = Exclude<Source, { kind: "literal" }>;

/** Every selector must name something that exists and gives a kind that is accepted; a gate names each step once. */
export function linkSteps(steps: readonly ParsedStep[], scope: Scope, findings: Findings): void {
  for (const step of steps) {
    const place = { step: step.text.name, blockType: step.type };
    for (const [name, binding] of step.bindings) linkProperty(step, name, binding, { scope, place, findings });
    linkTargets(step, scope, findings);
  }
}

export function linkOutputs(outputs: readonly ParsedOutput[], scope: Scope, findings: Findings): void {
  for (const { name, source } of outputs) {
    const place = { step: "$outputs", property: name };
    kindsOf(source, scope, ["*"], { place, findings, noOutput: "target" });
  }
}

interface Linking {
  readonly scope: Scope;
  readonly place: SpecPlace;
  readonly findings: Findings;
}

function linkProperty(step: ParsedStep, name: string, binding: Binding, linking: Linking): void {
  const property = step.manifest.properties.find((candidate) => candidate.name === name);
  if (property === undefined) return;
  const { scope, findings } = linking;
  const accepted = acceptedKinds(parsePropertyType(property.type), binding);
  const place = { ...linking.place, property: name };
  for (const source of sourcesOf(binding)) {
    if (source.kind === "literal") continue;
    const kinds = kindsOf(source, scope, accepted, { place, findings, noOutput: "structure" });
    if (kinds === undefined || kindsMeet(kinds, accepted)) continue;
    const text = toText(source);
    const didYouMean = selectorsOf(scope, accepted).find(
      (candidate) => ownerOf(candidate) === ownerOf(text) && candidate !== text,
    );
    const message = `"${text}" gives ${kinds.join(" or ")}, but "${name}" takes ${accepted.join(" or ")}.`;
    findings.add("kinds", message, { ...place, didYouMean });
  }
}

function acceptedKinds(type: PropertyType, binding: Binding): readonly string[] {
  if (binding.kind !== "list" && binding.kind !== "dictionary") return type.kinds;
  return type.literals.flatMap(({ list, dictionary }) => (list ?? dictionary)?.kinds ?? []);
}

interface Finding extends Omit<Linking, "scope"> {
  /** Category of an output that a step does not have. */
  readonly noOutput: Category;
}

/** Kinds at the end of a selector; absent when it names nothing, which is then said, or a step that is itself wrong. */
function kindsOf(
  source: Pointer,
  scope: Scope,
  accepted: readonly string[],
  { place, findings, noOutput }: Finding,
): readonly string[] | undefined {
  if (source.kind === "input") {
    const input = scope.inputs.get(source.name);
    if (input !== undefined) return input.kinds;
    const near = nearestName(source.name, scope.inputs.keys());
    const didYouMean = near === undefined ? undefined : inputSelector(near);
    findings.add("target", `There is no input "${source.name}".`, { ...place, didYouMean });
    return undefined;
  }
  if (!scope.steps.has(source.step)) {
    const near = nearestName(source.step, scope.steps.keys());
    const didYouMean = near === undefined ? undefined : toText({ ...source, step: near });
    findings.add("target", `There is no step "${source.step}".`, { ...place, didYouMean });
    return undefined;
  }
  return outputKinds(source, scope, accepted, { place, findings, noOutput });
}

function outputKinds(
  source: Extract<Source, { kind: "output" }>,
  scope: Scope,
  accepted: readonly string[],
  { place, findings, noOutput }: Finding,
): readonly string[] | undefined {
  const step = scope.steps.get(source.step);
  if (step === undefined) return undefined;
  if (step.outputs === undefined || (source.property === "*" && noOutput === "target")) return ["*"];
  const output = step.outputs.find(({ name }) => name === source.property);
  if (output !== undefined) return output.kinds;
  const names = step.outputs.map(({ name }) => name);
  const fitting = step.outputs.find(({ kinds }) => kindsMeet(kinds, accepted))?.name;
  const near = nearestName(source.property, names) ?? fitting;
  const has = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
  const message =
    source.property === ""
      ? `"${toText(source)}" names a step; name one of its outputs.`
      : `Step "${source.step}" has no output "${source.property}"; ${has}.`;
  const didYouMean = near === undefined ? undefined : `${stepSelector(source.step)}.${near}`;
  findings.add(source.property === "" ? "structure" : noOutput, message, { ...place, didYouMean });
  return undefined;
}

function linkTargets({ text, type, targets }: ParsedStep, scope: Scope, findings: Findings): void {
  const seen = new Set<string>();
  for (const { step, property } of targets) {
    const place = { step: text.name, blockType: type, property };
    if (!scope.steps.has(step)) {
      const near = nearestName(step, scope.steps.keys());
      const didYouMean = near === undefined ? undefined : stepSelector(near);
      findings.add("target", `There is no step "${step}" to go on with.`, { ...place, didYouMean });
    } else if (seen.has(step)) {
      findings.add("structure", `Step "${step}" is named twice: a gate lets each step go on in one way.`, place);
    }
    seen.add(step);
  }
}

function toText(source: Pointer): string {
  if (source.kind === "input") return inputSelector(source.name);
  return source.property === "" ? stepSelector(source.step) : `${stepSelector(source.step)}.${source.property}`;
}
