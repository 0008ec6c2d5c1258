// a model, a saved workflow or classes → run on a camera, a video or a picture
import { watchingWorkflow } from "../../../pipelines/watching-workflow.ts";
import { failure } from "../answers/evidence.ts";
import { resultInWords } from "../answers/results.ts";
import type { Slots } from "../intent.ts";
import { thingsInWords } from "../words/class-words.ts";
import { chooseCameras } from "./choose-camera.ts";
import { chooseClasses } from "./choose-classes.ts";
import { startedWords, startPipeline, toPipelineName } from "./pipeline-start.ts";
import { type App, ask, callOne, type Plan, say, type Wish } from "./plan.ts";
import { removeReplaced } from "./replace.ts";

const PICTURE_FILE = /\.(?:jpe?g|png|bmp|webp)$/i;

/** "Run … on …": once on a picture, from now on where frames come in. */
export function* planRun(wish: Wish, app: App): Plan {
  const { bare } = wish.clause;
  const { workspace } = app.known;
  const slots = { ...(workspace !== undefined && { workspace }), ...wish.clause.slots };
  const what = whatToRun(slots);
  if (what === undefined)
    return ask(
      "Which model or workflow do you mean? Give the id of a model, such as my-workspace/hard-hat/3, or the name of a saved workflow and its workspace.",
    );
  if (slots.workflow !== undefined && slots.workspace === undefined)
    return ask(`In which workspace is the workflow "${slots.workflow}"?`);
  const picture = slots.cameras.find((name) => PICTURE_FILE.test(name));
  const image =
    picture ?? (slots.cameras.length === 0 && slots.unknownCamera === undefined ? app.images[0] : undefined);
  if (image !== undefined) return yield* runOnce(image, what);
  if (slots.cameras.length === 0 && /\b(?:image|picture|photo)\b/.test(bare))
    return ask("There is no picture with your message. Attach one, or name a file or a camera.");
  const chosen = chooseCameras(slots, app.known);
  if ("question" in chosen) return chosen.question;
  const once = /\b(?:once|now|a look|snapshot|one frame|single)\b/.test(bare) && slots.fps === undefined;
  if (once) return yield* runOnce(chosen.cameras[0] ?? "", what);
  return yield* runOn(chosen.cameras, wish, what);
}

interface What {
  readonly label: string;
  readonly args: { readonly [key: string]: string };
}

function whatToRun({ model, workflow, workspace }: Slots): What | undefined {
  if (workflow !== undefined)
    return {
      label: workflow,
      args: { ...(workspace !== undefined && { workspace_name: workspace }), workflow_id: workflow },
    };
  return model === undefined ? undefined : { label: model, args: { model_id: model } };
}

function* runOnce(image: string, { label, args }: What): Plan {
  const answer = yield* callOne("run_inference", { image, ...args });
  if (!answer.ok) return failure(`I could not run ${label}`, answer);
  return say(`${label} ran once. ${resultInWords(answer.text)}`);
}

function* runOn(cameras: readonly string[], { clause, replaces }: Wish, { label, args }: What): Plan {
  const { fps } = clause.slots;
  const texts: string[] = [];
  for (const camera of cameras) {
    const started = yield* startPipeline({
      camera,
      name: toPipelineName(camera, label),
      run: args,
      ...(fps !== undefined && { fps }),
    });
    texts.push(
      started.ok
        ? `${label} runs on ${started.line.camera} now, as ${started.line.name} (${started.line.id})${fps === undefined ? "" : `, at most ${fps} frames a second`}. ${startedWords(started)}`.trim()
        : `I could not start ${label} on ${camera}: ${started.reason}`,
    );
  }
  return say([...texts, yield* removeReplaced(replaces)].filter(Boolean).join(" "));
}

/** "Detect people on cam1": a pipeline that finds and follows, and tells nobody. */
export function* planDetect({ clause, replaces }: Wish, app: App): Plan {
  const { slots } = clause;
  const chosen = chooseCameras(slots, app.known);
  if ("question" in chosen) return chosen.question;
  const things = chooseClasses(slots, chosen.cameras, app.known);
  if ("question" in things) return things.question;
  const texts: string[] = [];
  for (const camera of chosen.cameras) {
    const { classes } = things;
    const run = { workflow_spec: watchingWorkflow({ modelId: app.modelFor(camera), classes }) };
    const name = toPipelineName(camera, ...classes.slice(0, 3), "detect");
    const started = yield* startPipeline({ camera, name, run, ...(slots.fps !== undefined && { fps: slots.fps }) });
    texts.push(
      started.ok
        ? `I am detecting ${thingsInWords(classes)} on ${started.line.camera} now, as ${started.line.name} (${started.line.id}). ${startedWords(started)}`.trim()
        : `I could not start that on ${camera}: ${started.reason}`,
    );
  }
  return say([...texts, things.note, yield* removeReplaced(replaces)].filter(Boolean).join(" "));
}
