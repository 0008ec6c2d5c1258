// remember, recall, blocks, tasks → one call each
import { failure, firstLines } from "../answers/findings.ts";
import { bestNotes, fittingNotes, noteInWords } from "../answers/fitting-notes.ts";
import { talk } from "../answers/talk.ts";
import type { Act, Clause } from "../intent.ts";
import { type App, ask, callOne, dataOf, type Plan, say } from "./plan.ts";

const MOST_BLOCKS = 30;
const MOST_DETAILS = 24;

type ActOf<K extends Act["kind"]> = Extract<Act, { kind: K }>;

export function* planRemember({ content, category }: ActOf<"remember">, { slots }: Clause): Plan {
  const [camera] = slots.cameras;
  const answer = yield* callOne("remember", { content, category, ...(camera !== undefined && { camera_id: camera }) });
  return answer.ok ? say(`I will remember: "${content}". ${answer.text}`) : failure("I could not keep that", answer);
}

export function* planCamera({ name, source }: ActOf<"camera">): Plan {
  if (name === undefined)
    return ask('What shall the camera be called? Say it with its address: "add a camera called garage at rtsp://…".');
  if (source === undefined)
    return ask(
      `What is the address of ${name}? Say "add a camera called ${name} at" and rtsp://…, http://…, webcam:0 or a file.`,
    );
  const answer = yield* callOne("save_camera", { name, source });
  return answer.ok ? say(answer.text) : failure("I could not add the camera", answer);
}

export function* planRecall({ query }: ActOf<"recall">): Plan {
  const answer = yield* callOne("recall", { query, max_results: 5 });
  const found = dataOf(answer, "recall");
  if (found === undefined) return failure("I could not search", answer);
  const notes = bestNotes(found.passages, query);
  if (notes.length > 0) return say(`What I know about that:\n${notes.map(noteInWords).join("\n")}`);
  return say(`I do not know: nothing in memory fits.${found.notice === null ? "" : ` ${found.notice}`}`);
}

/** What no camera can tell may have been told; where no note speaks of it, it is refused. */
export function* planTold(act: ActOf<"beyond">, { known }: App): Plan {
  const { query = "" } = act;
  const found = dataOf(yield* callOne("recall", { query, max_results: 5 }), "recall");
  const notes = fittingNotes(found?.passages ?? [], query);
  const told = notes.length > 0 ? `What I know about that:\n${notes.map(noteInWords).join("\n")}` : undefined;
  return say(told ?? talk(act, known) ?? "");
}

export function* planBlocks({ category }: ActOf<"blocks">): Plan {
  const answer = yield* callOne("list_workflow_blocks", category === undefined ? {} : { category });
  if (!answer.ok) return failure("I could not list them", answer);
  const what = category === undefined ? "Blocks" : `Blocks for ${category.replaceAll("_", " ")}`;
  return say(`${what}:\n${firstLines(answer.text, MOST_BLOCKS)}`);
}

export function* planBlock({ type }: ActOf<"block">): Plan {
  const answer = yield* callOne("get_block_details", { block_type: type });
  return answer.ok ? say(firstLines(answer.text, MOST_DETAILS)) : failure("I could not find that block", answer);
}

export function* planSchedule({ task, timing, spoken }: ActOf<"schedule">, { words }: Clause, app: App): Plan {
  const [clause] = app.read(task);
  // What cannot be done now cannot be done then; a reminder is for the person to do.
  const refused = clause?.act.kind === "beyond" && !/\bremind/i.test(words) ? talk(clause.act, app.known) : undefined;
  if (refused !== undefined) return say(refused);
  const answer = yield* callOne("schedule_task", { instructions: task, ...timing }, `do "${task}" ${spoken}`);
  const made = dataOf(answer, "schedule_task");
  if (made === undefined) return failure("I could not schedule that", answer);
  const next = made.task.next_at === undefined ? "" : ` Next: ${made.task.next_at}.`;
  return say(`I will do "${task}" ${spoken} (${made.task.id}).${next}`);
}
