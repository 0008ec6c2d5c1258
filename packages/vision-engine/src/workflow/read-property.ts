// one written value × what its property accepts → where the value comes from
import type { Json } from "@vision-agent/protocol";
import type { PropertyManifest } from "../blocks/manifests/block-manifest.ts";
import {
  describeLiterals,
  literalFits,
  type PropertyType,
  parsePropertyType,
  selectorFits,
} from "../blocks/manifests/property-type.ts";
import { nearestName } from "../nearest-name.ts";
import { queryMistake } from "./check-query.ts";
import type { Findings, Place } from "./findings.ts";
import { ChildDefault, replaceDefaults } from "./inner/child-default.ts";
import type { Binding, Source } from "./parsed-workflow.ts";
import { nearestSelector, type Scope } from "./scope.ts";
import { isReference, parseSelector } from "./selector.ts";

export interface Reading {
  /** For names that were likely meant. */
  readonly scope: Scope;
  readonly findings: Findings;
}

/** Absent when the value does not fit; said in `findings`. */
export function readProperty(
  written: unknown,
  property: PropertyManifest,
  place: Place,
  { findings, scope }: Reading,
): Binding | undefined {
  const type = parsePropertyType(property.type);
  if (!fits(written, property, type)) {
    const didYouMean = typeof written === "string" ? nearestFit(written, type, scope) : undefined;
    findings.add("syntax", misfit(written, type, property.name), { ...place, didYouMean });
    return undefined;
  }
  const value = replaceDefaults(written, ({ value }) => value) as Json;
  const mistake = queryMistake(property.type, value);
  if (mistake !== undefined) {
    findings.add("syntax", `"${property.name}": ${mistake}`, place);
    return undefined;
  }
  // A default that looks like a selector is still a value.
  if (written instanceof ChildDefault) return { kind: "literal", value };
  if (isReference(value) && type.kinds.length > 0) return toSource(value);
  return toBinding(written, value, type);
}

/** A null that was the default anyway is no mistake. */
function fits(written: unknown, property: PropertyManifest, type: PropertyType): boolean {
  if (written === null && property.required !== true && (property.default ?? null) === null) return true;
  if (typeof written === "string" && selectorFits(type, written)) return true;
  if (written instanceof ChildDefault && type.kinds.length > 0) return true;
  const literal = replaceDefaults(written, ({ value }) => value) as Json;
  if (literalFits(type.literals, literal)) return true;
  const asSelectors = replaceDefaults(written, () => "$inputs.default");
  return asSelectors !== written && literalFits(type.literals, asSelectors as Json);
}

function toBinding(written: unknown, value: Json, type: PropertyType): Binding {
  if (Array.isArray(value) && takesSelectors(type, "list") && value.some(isReference)) {
    const writtenItems = written as readonly unknown[];
    return { kind: "list", items: value.map((item, at) => toItem(writtenItems[at], item)) };
  }
  const isDictionary = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isDictionary && takesSelectors(type, "dictionary") && Object.values(value).some(isReference)) {
    const writtenItems = written as Readonly<Record<string, unknown>>;
    const entries = Object.entries(value).map(([name, item]) => [name, toItem(writtenItems[name], item)] as const);
    return { kind: "dictionary", entries };
  }
  return { kind: "literal", value };
}

function takesSelectors({ literals }: PropertyType, kind: "list" | "dictionary"): boolean {
  return literals.some((literal) => {
    if (literal.kind === "list") return kind === "list" && literal.items.kinds.length > 0;
    return literal.kind === "dictionary" && kind === "dictionary" && literal.values.kinds.length > 0;
  });
}

function toItem(written: unknown, item: Json): Source {
  return isReference(item) && !(written instanceof ChildDefault) ? toSource(item) : { kind: "literal", value: item };
}

/** A text that begins like a selector and is none names what does not exist; `linkSteps` says so. */
function toSource(text: string): Source {
  const selector = parseSelector(text);
  if (selector?.kind === "input") return selector;
  if (selector?.kind === "output") return selector;
  if (selector?.kind === "step") return { kind: "output", step: selector.step, property: "" };
  const name = text.slice(text.indexOf(".") + 1);
  return text.startsWith("$inputs.") ? { kind: "input", name } : { kind: "output", step: name, property: "" };
}

function misfit(value: unknown, type: PropertyType, property: string): string {
  const selector = type.kinds.length > 0 ? `a selector of ${type.kinds.join(" or ")}` : "";
  const target = type.stepTargets ? "a step ($steps.<name>)" : "";
  const wanted = [describeLiterals(type.literals), selector, target].filter((part) => part !== "").join(" or ");
  return `"${property}" takes ${wanted}, not ${shorten(JSON.stringify(value) ?? "nothing")}.`;
}

/** Values may be long, and may be secret: people need only recognise them. */
function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** A choice that looks alike; a selector where nothing but selectors is accepted. */
function nearestFit(value: string, { literals, kinds }: PropertyType, scope: Scope): string | undefined {
  const choices = literals.flatMap((accepted) => (accepted.kind === "choice" ? accepted.values : []));
  const near = nearestName(value, choices);
  if (near !== undefined || kinds.length === 0 || choices.length > 0) return near;
  return nearestSelector(scope, value, kinds);
}
