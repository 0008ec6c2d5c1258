// parsed workflow + open blocks → everything a run can know beforehand
import type { BlockInstance, BlockValue } from "../../blocks/block.ts";
import type { SpecReading } from "../parse-spec.ts";
import {
  type Binding,
  INPUT_LEVEL,
  type Lineage,
  type ParsedOutput,
  type ParsedStep,
  type Source,
  sourcesOf,
} from "../parsed-workflow.ts";
import { stepSelector } from "../selector.ts";
import { acceptsBatches, type StepFlow } from "../step-flow.ts";
import type {
  Feed,
  Gate,
  Origin,
  ParameterCheck,
  PlanLevel,
  PlanOutput,
  PlanProperty,
  PlanStep,
  WorkflowPlan,
} from "./plan.ts";

/** `reading` has no findings; `instances` has one for each step. */
export function compilePlan(reading: SpecReading, instances: ReadonlyMap<string, BlockInstance>): WorkflowPlan {
  return new PlanCompiler(reading, instances).compile();
}

class PlanCompiler {
  readonly #reading: SpecReading;
  readonly #instances: ReadonlyMap<string, BlockInstance>;
  readonly #levels: PlanLevel[] = [];
  /** Place of a level by the text of its lineage. */
  readonly #levelSlots = new Map<string, number>();
  readonly #stepSlots: ReadonlyMap<string, number>;
  readonly #branchSlots = new Map<string, number>();

  constructor(reading: SpecReading, instances: ReadonlyMap<string, BlockInstance>) {
    this.#reading = reading;
    this.#instances = instances;
    this.#stepSlots = new Map(reading.layers.flat().map(({ text }, slot) => [text.name, slot]));
  }

  compile(): WorkflowPlan {
    const { workflow, layers } = this.#reading;
    const { inputs, steps, outputs } = workflow;
    const inputLevels = inputs.map(({ lineage }) => this.#levelOf(lineage));
    const hasBatches = inputLevels.some((level) => level >= 0);
    for (const { text, targets } of steps) {
      for (const { branch } of targets) {
        const key = branchKey(text.name, branch);
        if (!this.#branchSlots.has(key)) this.#branchSlots.set(key, this.#branchSlots.size);
      }
    }
    const planned = layers.map((layer) => layer.map((step) => this.#step(step)));
    return {
      inputs,
      inputLevels,
      root: hasBatches ? this.#levelOf([INPUT_LEVEL]) : -1,
      layers: planned,
      branchCount: this.#branchSlots.size,
      stepCount: this.#stepSlots.size,
      outputs: outputs.map((output) => this.#output(output)),
      checks: steps.flatMap((step) => this.#checks(step)),
      keepsRunsApart: steps.some(({ block }) => block?.sharesMemory === true),
      levels: this.#levels,
    };
  }

  #step(step: ParsedStep): PlanStep {
    const { text, type, manifest, block, targets } = step;
    const flow = this.#flowOf(text.name);
    const takesBatches = acceptsBatches(manifest);
    const collapsesAll = flow.isBatch && flow.depth === 0 && !takesBatches;
    const properties = [...step.bindings].map(([name, binding]) => this.#property(name, binding, flow));
    const feeds = properties.flatMap((property) => property.feeds);
    const branches = [...new Set(targets.map(({ branch }) => branch))];
    return {
      slot: this.#stepSlots.get(text.name)!,
      name: text.name,
      type,
      instance: this.#instances.get(text.name)!,
      isStateless: block?.stateless === true,
      properties,
      isBatch: flow.isBatch,
      takesBatches: takesBatches || collapsesAll,
      collapsesAll,
      acceptsEmpty: manifest.acceptsEmpty === true,
      depth: flow.depth,
      elements: this.#levelOf(flow.elements),
      children: this.#childLevel(step, flow),
      hasElements: feeds.some(({ role }) => role === "element"),
      hasChildren: feeds.some(({ role }) => role === "children"),
      gates: this.#gatesOf(text.name),
      branches: branches.map((branch) => ({
        slot: this.#branchSlots.get(branchKey(text.name, branch))!,
        targets: new Set(
          targets.filter((target) => target.branch === branch).map((target) => stepSelector(target.step)),
        ),
      })),
      level: this.#levelOf(flow.lineage),
      isRising: flow.lineage.length > flow.elements.length,
    };
  }

  #property(name: string, binding: Binding, flow: StepFlow): PlanProperty {
    const feeds = sourcesOf(binding).map((source) => this.#feed(name, source, flow));
    if (binding.kind === "list") return { name, shape: "list", keys: [], feeds };
    if (binding.kind !== "dictionary") return { name, shape: "one", keys: [], feeds };
    return { name, shape: "dictionary", keys: binding.entries.map(([key]) => key), feeds };
  }

  #feed(property: string, source: Source, flow: StepFlow): Feed {
    const origin = this.#origin(source);
    const role = (depth: number): Feed["role"] => (depth > flow.depth ? "children" : "element");
    if (origin.kind !== "literal" && origin.level >= 0) {
      return { origin, role: role(this.#levels[origin.level]!.depth), isSpread: false };
    }
    const cast = flow.casts.get(property);
    // A null that stands in the workflow means "none", not an element without a value.
    const isNone = origin.kind === "literal" && origin.value === null;
    if (cast === undefined || isNone || !flow.isBatch) return { origin, role: "constant", isSpread: false };
    return { origin, role: role(cast.depth), isSpread: true };
  }

  #origin(source: Source): Origin {
    switch (source.kind) {
      case "literal":
        return { kind: "literal", value: source.value as BlockValue };
      case "input": {
        const input = this.#reading.workflow.inputs.findIndex(({ name }) => name === source.name);
        const { lineage } = this.#reading.workflow.inputs[input]!;
        return { kind: "input", input, level: this.#levelOf(lineage) };
      }
      case "output": {
        const level = this.#levelOf(this.#flowOf(source.step).lineage);
        return { kind: "output", step: this.#stepSlots.get(source.step)!, output: source.property, level };
      }
    }
  }

  /** The level whose elements are handed over as batches, one level below the step's own elements. */
  #childLevel(step: ParsedStep, flow: StepFlow): number {
    const sources = [...step.bindings.values()].flatMap(sourcesOf);
    const lineages = sources.map((source) => this.#lineageOf(source));
    const supports = [...flow.casts.values()].map(({ support }) => support);
    const deeper = [...lineages, ...supports].find(({ length }) => length === flow.depth + 1);
    return deeper === undefined ? -1 : this.#levelOf(deeper);
  }

  #lineageOf(source: Source): Lineage {
    if (source.kind === "literal") return [];
    if (source.kind === "output") return this.#flowOf(source.step).lineage;
    return this.#reading.workflow.inputs.find(({ name }) => name === source.name)?.lineage ?? [];
  }

  #gatesOf(name: string): readonly Gate[] {
    return this.#reading.workflow.steps.flatMap(({ text, targets }) =>
      targets
        .filter((target) => target.step === name)
        .map(({ branch }) => ({
          branch: this.#branchSlots.get(branchKey(text.name, branch))!,
          level: this.#levelOf(this.#flowOf(text.name).lineage),
        })),
    );
  }

  #output({ name, source, coordinates }: ParsedOutput): PlanOutput {
    const origin = this.#origin(source) as PlanOutput["origin"];
    const lineage = this.#lineageOf(source);
    return {
      name,
      origin,
      depth: lineage.length,
      isOfInput: lineage[0] === INPUT_LEVEL,
      inParentCoordinates: coordinates === "parent",
      kinds: this.#kindsOf(source),
    };
  }

  #kindsOf(source: ParsedOutput["source"]): PlanOutput["kinds"] {
    const { inputs, steps } = this.#reading.workflow;
    if (source.kind === "input") return inputs.find(({ name }) => name === source.name)?.kinds ?? ["*"];
    const outputs = steps.find(({ text }) => text.name === source.step)?.outputs ?? [];
    if (source.property === "*") return outputs;
    return outputs.find(({ name }) => name === source.property)?.kinds ?? ["*"];
  }

  /** Parameters that fill a whole property; selector-only properties take any value. */
  #checks({ text, manifest, bindings }: ParsedStep): readonly ParameterCheck[] {
    return manifest.properties.flatMap(({ name: property, type }) => {
      const binding = bindings.get(property);
      if (binding?.kind !== "input") return [];
      const input = this.#reading.workflow.inputs.findIndex(({ name }) => name === binding.name);
      if (this.#reading.workflow.inputs[input]?.role !== "parameter") return [];
      return [{ input, parameter: binding.name, step: text.name, property, type }];
    });
  }

  #flowOf(step: string): StepFlow {
    return this.#reading.flows.get(step)!;
  }

  /** Place of a level; made on first use. */
  #levelOf(lineage: Lineage): number {
    if (lineage.length === 0) return -1;
    const key = JSON.stringify(lineage);
    const known = this.#levelSlots.get(key);
    if (known !== undefined) return known;
    const parent = this.#levelOf(lineage.slice(0, -1));
    const slot = this.#levels.push({ depth: lineage.length, parent }) - 1;
    this.#levelSlots.set(key, slot);
    return slot;
  }
}

function branchKey(step: string, branch: string): string {
  return JSON.stringify([step, branch]);
}
