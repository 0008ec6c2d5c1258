import type { BlockInstance, BlockValue, OutputManifest } from "../../blocks/block.ts";
import type { ParsedInput } from "../parsed-workflow.ts";

/** A kind of batch: images of the input, crops of a step, … Everything in a plan is named by its place in a list. */
export interface PlanLevel {
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
