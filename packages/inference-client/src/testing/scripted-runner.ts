// specification → made-up outputs: for tests that look at the wire and not at the workflow
import type { Json } from "@vision-agent/protocol";
import { isObject, type JsonMap } from "./check-body.ts";
import { partsOf } from "./describe.ts";
import { findThings } from "./find-things.ts";
import { decodeImage } from "./load-image.ts";
import { type RunnerBlock, type RunnerModels, WorkflowFault, type WorkflowRunner } from "./workflow-runner.ts";

type Step = ReturnType<typeof partsOf>["steps"][number];

const IMAGE = { name: "image", required: true, takesValues: false, kinds: ["image"] };
const MODEL: RunnerBlock = {
  type: "roboflow_core/roboflow_object_detection_model@v2",
  aliases: [],
  name: "Object Detection Model",
  family: "model",
  properties: [{ ...IMAGE, name: "images" }],
  outputs: [{ name: "predictions", kinds: ["object_detection_prediction"] }],
};
const DRAWING: RunnerBlock = {
  type: "roboflow_core/bounding_box_visualization@v1",
  aliases: [],
  name: "Bounding Box Visualization",
  family: "visualization",
  properties: [IMAGE],
  outputs: [{ name: "image", kinds: ["image"] }],
};

/** Knows a detection model and a drawing; each output is what its step gives for the picture, whatever lies between. */
export function scriptedRunner(): WorkflowRunner {
  const blocks = [MODEL, DRAWING];
  return {
    blocks,
    async open(specification, models) {
      const { inputs: known, steps, outputs } = partsOf(specification, blocks);
      for (const step of steps) {
        if (step.block === undefined) throw faultOf(step, "WorkflowSyntaxError", `Unknown block "${step.type}".`);
        const targets = Object.values(step.json).filter((value) => String(value).startsWith("$inputs."));
        const lost = targets.find((target) => !known.some(({ name }) => target === `$inputs.${name}`));
        if (lost !== undefined) throw faultOf(step, "InvalidReferenceTargetError", `There is no ${lost}.`);
      }
      return {
        async run(inputs) {
          const pictures = Object.values(inputs).flat().filter(isObject);
          return pictures.map((picture) =>
            Object.fromEntries(
              outputs.map(({ name, selector }) => {
                const step = steps.find((item) => item.name === selector.split(".")[1]);
                return [name, step?.block === MODEL ? detect(step, picture, models) : withoutParents(picture)];
              }),
            ),
          );
        },
        close: async () => undefined,
      };
    },
  };
}

function detect(step: Step, picture: JsonMap, models: RunnerModels): Json {
  const model = models.take(String(step.json.model_id));
  if (model === undefined) throw faultOf(step, "StepExecutionError", "Could not connect to Roboflow API.");
  const { width, height } = decodeImage(String(picture.value));
  const frame = isObject(picture.video_metadata) ? Number(picture.video_metadata.frame_number) : 0;
  const predictions = findThings(model, { width, height }, frame).map((thing) => ({
    width: thing.width,
    height: thing.height,
    x: thing.x,
    y: thing.y,
    confidence: thing.confidence,
    class_id: thing.classId,
    class: thing.className,
    detection_id: thing.detectionId,
    parent_id: String(picture.parent_id ?? "image"),
  }));
  return { image: { width, height }, predictions };
}

function withoutParents({ parent_id: _, root_parent_id: __, ...picture }: JsonMap): Json {
  return picture;
}

function faultOf({ name, type }: Step, fault: string, message: string): WorkflowFault {
  const context = fault === "StepExecutionError" ? "workflow_execution | step_execution" : "workflow_compilation";
  return new WorkflowFault({ message, type: fault, context, blocks: [{ step: name, type, message }] });
}
