// one thing after another, also on several cameras
import type { WatchCondition } from "@vision-agent/protocol";
import type { ConditionMemory, ConditionReading, Happening, JudgedView } from "./condition-reading.ts";

type Sequence = Extract<WatchCondition, { kind: "sequence" }>;
type SequenceStep = Sequence["steps"][number];
type Begun = NonNullable<ConditionMemory["begun"]>[number];

/** Sequences that have begun at once; the oldest go. */
const MOST_BEGUN = 64;

export interface SequenceStepReading {
  readonly memory?: ConditionMemory | undefined;
  /** It happens, or begins to hold, in this view. */
  readonly begins: readonly Happening[];
  /** It holds, where it is a state. */
  readonly holds: boolean;
}

/** Each step has to come within the seconds after the one before; a last step that must not come tells when they are over. */
export function judgeSequence(
  { steps, within_seconds }: Sequence,
  judged: JudgedView,
  memory: ConditionMemory | undefined,
  judgeStep: (step: SequenceStep, memory: ConditionMemory | undefined) => SequenceStepReading,
): ConditionReading {
  const { nowMs } = judged.view;
  const readings = steps.map((step, at) => judgeStep(step, memory?.parts?.[at]));
  const moments: Happening[] = [];
  const isLate = ({ atMs }: Begun): boolean => nowMs - atMs > within_seconds * 1000;
  const before = memory?.begun ?? [];
  const waitsForNothing = ({ steps: done }: Begun): boolean => steps[done]?.not === true;
  for (const _ of before.filter((one) => isLate(one) && waitsForNothing(one))) {
    moments.push({ text: `${describeStep(steps)} was not followed within ${within_seconds} s on ${judged.camera}.` });
  }
  const begun: Begun[] = [];
  let isComplete: Happening | undefined;
  for (const one of before.filter((each) => !isLate(each))) {
    const reading = readings[one.steps];
    const [happening] = reading?.begins ?? [];
    // What holds already when its turn comes counts as come.
    const hasCome = happening !== undefined || (reading?.holds === true && nowMs > one.atMs);
    if (!hasCome) begun.push(one);
    else if (waitsForNothing(one)) continue;
    else if (one.steps + 1 < steps.length) begun.push({ steps: one.steps + 1, atMs: nowMs });
    else isComplete = happening ?? { text: `The last of ${steps.length} steps came on ${judged.view.camera}.` };
  }
  if (isComplete) moments.push(isComplete);
  for (const _ of readings[0]?.begins ?? []) begun.push({ steps: 1, atMs: nowMs });
  return { memory: { parts: readings.map((reading) => reading.memory), begun: begun.slice(-MOST_BEGUN) }, moments };
}

function describeStep(steps: readonly SequenceStep[]): string {
  return `"${steps
    .slice(0, -1)
    .map(({ when }) => when.kind)
    .join(", then ")}"`;
}
