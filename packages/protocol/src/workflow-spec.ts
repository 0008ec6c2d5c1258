import { z } from "zod";

/** One input of a workflow; further keys depend on its type. */
const workflowInputSchema = z.looseObject({ type: z.string(), name: z.string() });
export type WorkflowInput = z.infer<typeof workflowInputSchema>;

/** One step: a block type, a name, and the block's own properties. */
const workflowStepSchema = z.looseObject({ type: z.string(), name: z.string() });
export type WorkflowStep = z.infer<typeof workflowStepSchema>;

/** One output: a name and the selector of the value it shows. */
const workflowOutputSchema = z.looseObject({
  type: z.string(),
  name: z.string(),
  selector: z.string(),
  coordinates_system: z.enum(["own", "parent"]).optional(),
});
export type WorkflowOutput = z.infer<typeof workflowOutputSchema>;

/** A Roboflow Workflows specification: the same JSON that an Inference server takes. */
export const workflowSpecSchema = z.looseObject({
  version: z.string(),
  inputs: z.array(workflowInputSchema),
  steps: z.array(workflowStepSchema),
  outputs: z.array(workflowOutputSchema),
});
export type WorkflowSpec = z.infer<typeof workflowSpecSchema>;

/** One thing wrong with a workflow, said so that a person or a model can mend it. */
export const workflowProblemSchema = z.object({
  /** Name of the step, `$outputs`, or null when the whole document is meant. */
  step: z.string().nullable(),
  property: z.string().nullable(),
  message: z.string(),
  /** The nearest valid name, where there is one. */
  did_you_mean: z.string().optional(),
});
export type WorkflowProblem = z.infer<typeof workflowProblemSchema>;

/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export const jsonSchema: z.ZodType<Json> = z.json();
