// remember, recall, blocks, tasks → one call each
import { formatPassage } from "../../../tools/memory-tools.ts";
import { formatTime } from "../../../workspace/format-time.ts";
import { firstLines } from "../answers/findings.ts";
import { fittingNotes } from "../answers/fitting-notes.ts";
import { talk } from "../answers/talk.ts";
import { type App, ask, callOne, dataOf, need, type Outcome, type Plan, type Steps, say, type WishOf } from "./plan.ts";
import { planModeTimes } from "./quiet.ts";

const MOST_BLOCKS = 30;
const MOST_DETAILS = 24;
const WEEK_MINUTES = 10_080;

export function* planRemember({ clause: { act, slots } }: WishOf<"remember">): Plan {
  const { content, category } = act;
  const args = { content, category, camera_id: slots.cameras[0] };
  const { text } = yield* need("remember", { args, will: `remember "${content}"`, failed: "I could not keep that" });
  return say(`I will remember: "${content}".`, text);
}

export function* planCamera({ clause }: WishOf<"camera">): Plan {
  const { name, source, isChange = false } = clause.act;
  if (name === undefined)
    return ask('What should the camera be called? Say it with its address: "add a camera called garage at rtsp://…".');
  if (source === undefined)
    return ask(
      `What is the address of ${name}? Say "add a camera called ${name} at" and rtsp://…, http://…, webcam:0 or a file.`,
    );
  const args = { name, source, replace: isChange || undefined };
  const { effects, text } = yield* need("save_camera", {
    args,
    will: `save a camera called ${name} at ${source}`,
    failed: "I could not add the camera",
  });
  if (effects.length > 0) return say(text);
  return {
    text: `There is a camera called ${name} already. Should I change its address to ${source}?`,
    open: true,
    proposal: { ...clause, act: { ...clause.act, isChange: true } },
  };
}

/** What memory holds of it; undefined where no note speaks of it. */
function* recallNotes(query: string): Steps<Outcome | undefined> {
  const found = dataOf(yield* callOne("recall", { query, max_results: 5 }), "recall");
  const notes = fittingNotes(found?.passages ?? [], query);
  return notes.length === 0 ? undefined : say(`What I know about that:\n${notes.map(formatPassage).join("\n")}`);
}

export function* planRecall({ clause }: WishOf<"recall">): Plan {
  return (yield* recallNotes(clause.act.query)) ?? say("I do not know: nothing in memory fits.");
}

/** What no camera can tell may have been told; where no note speaks of it, it is refused. */
export function* planTold({ clause: { act } }: WishOf<"beyond">, { known }: App): Plan {
  const told = act.query === undefined ? undefined : yield* recallNotes(act.query);
  return told ?? say(talk(act, known));
}

export function* planBlocks({ clause }: WishOf<"blocks">): Plan {
  const { category } = clause.act;
  const { text } = yield* need("list_workflow_blocks", { args: { category }, failed: "I could not list them" });
  const what = category === undefined ? "Blocks" : `Blocks for ${category.replaceAll("_", " ")}`;
  return say(`${what}:\n${firstLines(text, MOST_BLOCKS)}`);
}

export function* planBlock({ clause }: WishOf<"block">): Plan {
  const args = { block_type: clause.act.type };
  const { text } = yield* need("get_block_details", { args, failed: "I could not find that block" });
  return say(firstLines(text, MOST_DETAILS));
}

/** What a task needs to change something, by what it says. */
const TASK_TOOLS: Readonly<Record<string, readonly string[]>> = {
  stop: ["stop_pipeline", "remove_watch", "cancel_task"],
  pause: ["pause_pipeline", "schedule_task"],
  resume: ["resume_pipeline"],
  watch: ["create_watch"],
  count: ["start_pipeline"],
  detect: ["start_pipeline"],
  run: ["start_pipeline"],
  remember: ["remember"],
  mode: ["set_mode"],
};

function toolsOf(kind: string | undefined): { readonly tools?: readonly string[] } {
  const tools = TASK_TOOLS[kind ?? ""];
  return tools === undefined ? {} : { tools };
}

export function* planSchedule({ clause: { act, words } }: WishOf<"schedule">, { read, known, clock }: App): Plan {
  const { task, timing, spoken } = act;
  const [clause] = read(task);
  // What cannot be done now cannot be done then; a reminder is for the person to do.
  if (clause?.act.kind === "beyond" && !/\bremind/i.test(words)) return say(talk(clause.act, known));
  if ("every_minutes" in timing && (timing.every_minutes < 1 || timing.every_minutes > WEEK_MINUTES))
    return ask("I repeat things once a minute at most and once a week at least. How often should it be?");
  if (clause?.act.kind === "mode" && act.daily !== undefined)
    return yield* planModeTimes({ mode: clause.act.mode, ...act.daily }, spoken, known);
  const made = yield* need("schedule_task", {
    args: {
      instructions: clause?.act.kind === "mode" ? `set the mode to ${clause.act.mode}` : task,
      ...timing,
      ...toolsOf(clause?.act.kind),
    },
    will: `do "${task}" ${spoken}`,
    failed: "I could not schedule that",
  });
  const { next_at } = made.task;
  return say(`I will do "${task}" ${spoken}.`, next_at === undefined ? "" : `Next: ${formatTime(next_at, clock)}.`);
}
