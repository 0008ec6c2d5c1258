// workflow → which of its steps send something out of the app, and which are paid for
import { type WorkflowSpec, type WorkflowStep, workflowSpecSchema } from "@vision-agent/protocol";
import { listKnownBlocks } from "@vision-agent/vision-engine";
import type { CallGrade } from "./graded-tool.ts";

/** Of the sinks, those that only write into the workspace or hand values on. */
const STAYS_HERE = /\/(?:local_file_sink|vision_event_bundle)@/;
const SINK_FAMILY = /^sinks?$/;
const KEY = /^(?:remote_)?api_key$/;

type Reach = "stays" | "sends" | "paid";

/** By type and alias. */
const REACH: ReadonlyMap<string, Reach> = new Map(
  listKnownBlocks().flatMap(({ type, aliases, family, properties }) => {
    const isPaid = family === "model" && properties.some(({ name }) => KEY.test(name));
    const reach = isPaid ? "paid" : sinkReach(type, family);
    return [type, ...aliases].map((name) => [name, reach] as const);
  }),
);

function sinkReach(type: string, family: string): Reach {
  return SINK_FAMILY.test(family) && !STAYS_HERE.test(type) ? "sends" : "stays";
}

/** How far a workflow reaches when it runs. `question`: what a person is asked about the call as a whole. */
export function gradeWorkflow(spec: WorkflowSpec, question: string): CallGrade {
  const steps = allSteps(spec);
  const named = (reach: Reach): string =>
    steps
      .filter(({ type }) => reachOf(type) === reach)
      .map(({ name, type }) => `${name} (${type})`)
      .join(", ");
  const sending = named("sends");
  if (sending !== "") return { grade: "tell", grave: true, question: `${question} It sends data out: ${sending}.` };
  const paid = named("paid");
  if (paid !== "") return { grade: "cost", grave: true, question: `${question} Each frame is paid for: ${paid}.` };
  return { grade: "change", question };
}

/** In doubt it sends: blocks of unknown makers and code of one's own can do anything. */
function reachOf(type: string): Reach {
  return REACH.get(type) ?? "sends";
}

function allSteps({ steps }: WorkflowSpec): readonly WorkflowStep[] {
  return steps.flatMap((step) => {
    const inner = workflowSpecSchema.safeParse(step.workflow_definition);
    return inner.success ? allSteps(inner.data) : [step];
  });
}
