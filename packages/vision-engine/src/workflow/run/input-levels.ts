// batch inputs → the levels that they bring
import type { BlockValue } from "../../blocks/block.ts";
import { flatLevel, LevelBuilder, type RunState } from "./run-state.ts";

/** Fills the levels of inputs. The elements of a nested input are put into one list, level by level. */
export function fillInputLevels(run: RunState): void {
  const { plan, inputs, levels } = run;
  if (plan.root < 0) return;
  const first = plan.inputLevels.findIndex((level) => level >= 0);
  levels[plan.root] = flatLevel((inputs[first] as readonly BlockValue[]).length);
  for (let input = 0; input < inputs.length; input++) {
    const level = plan.inputLevels[input]!;
    if (level >= 0 && level !== plan.root)
      inputs[input] = flattened(run, level, inputs[input] as readonly BlockValue[]);
  }
}

function flattened(run: RunState, level: number, nested: readonly BlockValue[]): readonly BlockValue[] {
  const { parent } = run.plan.levels[level]!;
  const lists = (
    parent === run.plan.root ? nested : flattened(run, parent, nested)
  ) as readonly (readonly BlockValue[])[];
  const builder = new LevelBuilder();
  const { indices } = run.level(parent);
  for (let place = 0; place < lists.length; place++) builder.addChildren(place, indices[place]!, lists[place]!.length);
  run.levels[level] = builder.build(lists.length);
  return lists.flat();
}
