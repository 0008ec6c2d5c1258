// decisions of gates → which elements of a level may go on
import type { Gate } from "./plan.ts";
import type { RunState } from "./run-state.ts";

/** 1 for each element of a level that may go on; absent when all may. */
export type Openness = Uint8Array | undefined;

/** Whether a gate that decides for all at once, or one that did not run, closes everything. */
export function isShut(gates: readonly Gate[], run: RunState): boolean {
  return gates.some(({ branch }) => {
    const decision = run.branches[branch];
    return decision === undefined || decision === false;
  });
}

/**
 * A gate decides for everything below the element that it looked at: a gate on images also on their crops. Where a
 * gate looks deeper than the level, an element goes on when anything in it does. Level -1 is that of a single element.
 */
export function openElements(gates: readonly Gate[], run: RunState, level: number): Openness {
  const length = level < 0 ? 1 : run.level(level).indices.length;
  if (isShut(gates, run)) return new Uint8Array(length);
  if (level < 0) return undefined;
  const deciding = gates.filter((gate) => gate.level >= 0);
  if (deciding.length === 0) return undefined;
  const deepest = deciding.reduce((one, other) => (depthOf(run, other) > depthOf(run, one) ? other : one)).level;
  const open = openAt(deciding, run, deepest);
  return run.plan.levels[level]!.depth >= run.plan.levels[deepest]!.depth
    ? Uint8Array.from({ length }, (_, at) => open[run.ancestor(at, level, deepest)]!)
    : liftTo(open, run, deepest, level);
}

/** Elements of the deepest gate's level that every gate lets go on. */
function openAt(gates: readonly Gate[], run: RunState, level: number): Uint8Array {
  const open = new Uint8Array(run.level(level).indices.length);
  for (let at = 0; at < open.length; at++) {
    const passes = ({ branch, level: own }: Gate): boolean =>
      (run.branches[branch] as Uint8Array)[run.ancestor(at, level, own)] === 1;
    if (gates.every(passes)) open[at] = 1;
  }
  return open;
}

function liftTo(open: Uint8Array, run: RunState, from: number, to: number): Uint8Array {
  const lifted = new Uint8Array(run.level(to).indices.length);
  for (let at = 0; at < open.length; at++) if (open[at] === 1) lifted[run.ancestor(at, from, to)] = 1;
  return lifted;
}

function depthOf(run: RunState, { level }: Gate): number {
  return run.plan.levels[level]!.depth;
}
