import type { JsonMap } from "./check-body.ts";
import type { FakeModel } from "./find-things.ts";

/** Runs the workflows of a fake server. Whoever starts the server passes one in: the server only answers. */
export interface WorkflowRunner {
  /** The block types it knows, for the server's descriptions. */
  readonly blocks: readonly RunnerBlock[];
  /** Checks a specification and opens it. Throws `WorkflowFault` for one that cannot run. */
  open(specification: JsonMap, models: RunnerModels): Promise<RunnerWorkflow>;
}

/** One open specification. What its steps remember lasts until it is closed. */
export interface RunnerWorkflow {
  /** Inputs and outputs as a server reads and writes them; one result for each picture. Throws `WorkflowFault`. */
  run(inputs: JsonMap): Promise<readonly JsonMap[]>;
  close(): Promise<void>;
}

/** The models of the server. */
export interface RunnerModels {
  /** Loads it; `undefined` for one the server does not have. */
  take(id: string): FakeModel | undefined;
}

export interface RunnerBlock {
  readonly type: string;
  readonly aliases: readonly string[];
  /** Title for people. */
  readonly name: string;
  /** For example `model`. */
  readonly family: string;
  readonly properties: readonly {
    readonly name: string;
    readonly required: boolean;
    /** Takes a value that is no reference. */
    readonly takesValues: boolean;
    /** Kinds of what a reference may point to. */
    readonly kinds: readonly string[];
  }[];
  readonly outputs: readonly { readonly name: string; readonly kinds: readonly string[] }[];
}

/** What is wrong with a workflow or a run of it, in the names a server gives it. */
export class WorkflowFault extends Error {
  /** `WorkflowSyntaxError`, `StepExecutionError`, … */
  readonly type: string;
  /** `workflow_compilation | …` or `workflow_execution | …` */
  readonly context: string;
  readonly blocks: readonly FaultyBlock[];
  /** Name of the error beneath. */
  readonly innerType: string;

  constructor(parts: {
    message: string;
    type: string;
    context: string;
    blocks?: readonly FaultyBlock[];
    innerType?: string;
  }) {
    super(parts.message);
    this.type = parts.type;
    this.context = parts.context;
    this.blocks = parts.blocks ?? [];
    this.innerType = parts.innerType ?? "Exception";
  }
}

/** A step that is wrong; `$outputs` for the outputs. */
export interface FaultyBlock {
  readonly step: string;
  readonly type?: string | undefined;
  readonly property?: string | undefined;
  readonly message: string;
}
