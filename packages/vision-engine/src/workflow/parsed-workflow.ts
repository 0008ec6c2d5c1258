import type { Json, WorkflowProblem } from "@vision-agent/protocol";
import type { Block, StepText } from "../blocks/block.ts";
import type { BlockManifest } from "../blocks/manifests/block-manifest.ts";

/** Where the value of a property comes from. */
export type Binding =
  | { readonly kind: "literal"; readonly value: Json }
  | { readonly kind: "input"; readonly name: string }
  | { readonly kind: "output"; readonly step: string; readonly property: string }
  | { readonly kind: "list"; readonly items: readonly Binding[] }
  | { readonly kind: "dictionary"; readonly entries: readonly (readonly [name: string, value: Binding])[] };

export interface ParsedInput {
  readonly name: string;
  /** `frame` the picture, `metadata` where and when it was taken, `parameter` a value given at the start. */
  readonly role: "frame" | "metadata" | "parameter";
  readonly kinds: readonly string[];
  readonly defaultValue: Json;
}

export interface ParsedStep {
  readonly text: StepText;
  readonly manifest: BlockManifest;
  /** Absent when the block is known but does not run here. */
  readonly block?: Block;
  /** One for each property of the manifest. */
  readonly bindings: ReadonlyMap<string, Binding>;
}

export interface ParsedOutput {
  readonly name: string;
  /** Property `*` stands for all outputs of the step. */
  readonly binding: Extract<Binding, { kind: "input" | "output" }>;
}

export interface ParsedWorkflow {
  readonly inputs: readonly ParsedInput[];
  readonly steps: readonly ParsedStep[];
  readonly outputs: readonly ParsedOutput[];
  /** Names of steps that may run once those of the layers before have run. */
  readonly layers: readonly (readonly string[])[];
}

export interface SpecReading {
  /** As far as it could be read; runs only when there are no problems. */
  readonly workflow: ParsedWorkflow;
  readonly problems: readonly WorkflowProblem[];
  /** Does not keep the workflow from running, but was hardly meant. */
  readonly warnings: readonly WorkflowProblem[];
}
