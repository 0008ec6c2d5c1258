// a change without anything made just before → the one watch it can mean
import { parseWatchLines } from "../answers/watch-words.ts";
import { changeClause } from "../clauses/change-clause.ts";
import type { Clause } from "../intent.ts";
import { type App, ask, callOne, type Plan, say } from "./plan.ts";
import { planWatch } from "./watch.ts";

/** The words of a watch are what a person said, so they are read again and changed. */
export function* planChange(change: Clause, app: App): Plan {
  const list = yield* callOne("list_watches", {});
  const watches = list.ok ? parseWatchLines(list.text) : [];
  const named = watches.filter(({ id }) => change.words.toLowerCase().includes(id.toLowerCase()));
  const here = watches.filter(({ cameras }) => change.slots.cameras.some((camera) => cameras.includes(camera)));
  const isNew = change.act.kind === "watch" && change.slots.cameras.length > 0 && here.length === 0;
  if (isNew && named.length === 0) return yield* planWatch({ clause: change, replaces: [], isSure: true }, app);
  const [only, another] = [named, here, watches].find((list) => list.length > 0) ?? [];
  if (only === undefined)
    return say(
      'There is nothing to change: no watch is set up. Say the whole wish, such as "tell me when a person appears, only at night".',
    );
  if (another !== undefined) {
    const lines = watches.map(({ id, words }) => `- ${id}: "${words}"`).join("\n");
    return ask(`Which one shall I change? Say it with its name, such as "${only.id} ${change.words}".\n${lines}`);
  }
  const [earlier] = app.read(only.words);
  const clause = earlier && {
    ...earlier,
    slots: { ...earlier.slots, cameras: earlier.slots.cameras.length > 0 ? earlier.slots.cameras : only.cameras },
  };
  if (clause === undefined) return say(`I cannot read "${only.words}" again. Say the whole wish, and stop ${only.id}.`);
  return yield* planWatch(
    { clause: changeClause(clause, change), replaces: [{ kind: "watch", id: only.id }], isSure: true },
    app,
  );
}
