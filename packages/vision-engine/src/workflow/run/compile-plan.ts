// parsed workflow + open blocks → everything a run can know beforehand
import type { BlockInstance, BlockValue, OutputManifest } from "../../blocks/block.ts";
import type { SpecReading } from "../parse-spec.ts";
import {
  type Binding,
  INPUT_LEVEL,
  type Lineage,
  type ParsedInput,
  type ParsedOutput,
  type ParsedStep,
  type Source,
  sourcesOf,
} from "../parsed-workflow.ts";
import { stepSelector } from "../selector.ts";
import { acceptsBatches, type StepFlow } from "../step-flow.ts";

/** A kind of batch: images of the input, crops of a step, … Everything in a plan is named by its place in a list. */
interface PlanLevel {
  readonly depth: number;
  /** The level that its elements are parts of; -1 for none. */
  readonly parent: number;
}

/** Where a value is read. `level` is that of a batch, -1 for a single value. */
export type Origin =
  | { readonly kind: "literal"; readonly value: BlockValue }
  | { readonly kind: "input"; readonly input: number; readonly level: number }
  | { readonly kind: "output"; readonly step: number; readonly output: string; readonly level: number };

/**
 * How a value reaches the block: `constant` the same for every element, `element` one for each, `children` a batch for
 * each. A single value is spread over elements or children where `isSpread`.
 */
export interface Feed {
  readonly origin: Origin;
  readonly role: "constant" | "element" | "children";
  readonly isSpread: boolean;
}

export interface PlanProperty {
  readonly name: string;
  readonly shape: "one" | "list" | "dictionary";
  /** Of a dictionary. */
  readonly keys: readonly string[];
  readonly feeds: readonly Feed[];
}

/** A decision that must be in favour of an element. `level` is that of the gate, -1 when it decides for all at once. */
export interface Gate {
  readonly branch: number;
  readonly level: number;
}

/** Steps that go on together. */
interface Branch {
  readonly slot: number;
  /** Selectors of the steps. */
  readonly targets: ReadonlySet<string>;
}

export interface PlanStep {
  readonly slot: number;
  readonly name: string;
  /** Block type as the author wrote it. */
  readonly type: string;
  readonly instance: BlockInstance;
  readonly isStateless: boolean;
  readonly properties: readonly PlanProperty[];
  /** Whether it works on batches at all. */
  readonly isBatch: boolean;
  /** One call with batches; else one call for each element. */
  readonly takesBatches: boolean;
  /** The whole batch is one element, handed over as it is. */
  readonly collapsesAll: boolean;
  readonly acceptsEmpty: boolean;
  /** Levels of the index of an element that the block is called for. */
  readonly depth: number;
  /** Level of those elements; -1 when there is one only. */
  readonly elements: number;
  /** Level of what is handed over as children; -1 when each element has one. */
  readonly children: number;
  /** Whether properties are fed one value for each element, and whether a batch for each. */
  readonly hasElements: boolean;
  readonly hasChildren: boolean;
  readonly gates: readonly Gate[];
  readonly branches: readonly Branch[];
  /** Level of the outputs; -1 for a single value. */
  readonly level: number;
  /** Outputs are a list for each element: they make a new level. */
  readonly isRising: boolean;
}

export interface PlanOutput {
  readonly name: string;
  readonly origin: Exclude<Origin, { kind: "literal" }>;
  readonly depth: number;
  /** The first level of the batch is the input; else a step made it up. */
  readonly isOfInput: boolean;
  readonly inParentCoordinates: boolean;
  /** Kinds of the value; of each output of the step for `*`. */
  readonly kinds: readonly string[] | readonly OutputManifest[];
}

/** A parameter that must fit a property. */
export interface ParameterCheck {
  readonly input: number;
  readonly parameter: string;
  readonly step: string;
  readonly property: string;
  readonly type: string;
}

/** Everything that a run needs. */
export interface WorkflowPlan {
  readonly inputs: readonly ParsedInput[];
  readonly levels: readonly PlanLevel[];
  /** Level of each batch input; -1 for parameters. */
  readonly inputLevels: readonly number[];
  /** The level that all batch inputs share; -1 when nothing is fed batches. */
  readonly root: number;
  readonly layers: readonly (readonly PlanStep[])[];
  readonly branchCount: number;
  readonly stepCount: number;
  readonly outputs: readonly PlanOutput[];
  readonly checks: readonly ParameterCheck[];
  /** Steps share memory: one run after the other. */
  readonly keepsRunsApart: boolean;
}

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
    if (source.kind === "literal") return { kind: "literal", value: source.value as BlockValue };
    const level = this.#levelOf(this.#lineageOf(source));
    if (source.kind === "input") return { kind: "input", input: this.#inputNamed(source.name), level };
    return { kind: "output", step: this.#stepSlots.get(source.step)!, output: source.property, level };
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
    return this.#reading.workflow.inputs[this.#inputNamed(source.name)]!.lineage;
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
    if (source.kind === "input") return inputs[this.#inputNamed(source.name)]!.kinds;
    const outputs = steps.find(({ text }) => text.name === source.step)?.outputs ?? [];
    if (source.property === "*") return outputs;
    return outputs.find(({ name }) => name === source.property)?.kinds ?? ["*"];
  }

  /** Parameters that fill a whole property; selector-only properties take any value. */
  #checks({ text, manifest, bindings }: ParsedStep): readonly ParameterCheck[] {
    return manifest.properties.flatMap(({ name: property, type }) => {
      const binding = bindings.get(property);
      if (binding?.kind !== "input") return [];
      const input = this.#inputNamed(binding.name);
      if (this.#reading.workflow.inputs[input]?.role !== "parameter") return [];
      return [{ input, parameter: binding.name, step: text.name, property, type }];
    });
  }

  /** Place of an input. */
  #inputNamed(name: string): number {
    return this.#reading.workflow.inputs.findIndex((input) => input.name === name);
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
