import { describe, expect, it } from "vitest";
import { type Chance, createStepScopes, type StepScopes } from "./run-state.ts";

const STANDARD: Chance = { now: () => 1, newId: () => "fresh", random: () => 0.5 };

describe("createStepScopes", () => {
  it("tells each run its own time, also after it has waited for another", async () => {
    const scopes = createStepScopes(STANDARD, false);
    const first = scopes.ofRun(1, 100)!(0, () => waiting(scopes, 3));
    const second = scopes.ofRun(2, 200)!(0, () => waiting(scopes, 1));
    expect(await Promise.all([first, second])).toEqual([
      [100, 100],
      [200, 200],
    ]);
    expect(scopes.chance.now()).toBe(1);
  });

  it("leaves a run alone that has nothing of its own", () => {
    expect(createStepScopes(STANDARD, false).ofRun(1, undefined)).toBeUndefined();
  });

  it("gives the same ids and luck for the same run and step, in whatever order they run", () => {
    const draw = (order: readonly (readonly [run: number, slot: number])[]): Map<string, unknown> => {
      const scopes = createStepScopes(STANDARD, true);
      const { newId, random } = scopes.chance;
      const drawn = order.map(([run, slot]) => {
        const values = scopes.ofRun(run, undefined)!(slot, () => [newId(), newId(), random()]);
        return [`${run} ${slot}`, values] as const;
      });
      return new Map(drawn.toSorted());
    };
    const one = draw([
      [1, 0],
      [1, 1],
      [2, 0],
    ]);
    const other = draw([
      [2, 0],
      [1, 1],
      [1, 0],
    ]);
    expect(one).toEqual(other);
    const [first, second] = one.get("1 1") as string[];
    expect([first, second]).toEqual(["00000001-0001-4000-8000-000000000001", "00000001-0001-4000-8000-000000000002"]);
    expect(new Set([...one.values()].map((values) => String(values))).size).toBe(3);
  });
});

/** The time before and after some turns of the event loop. */
async function waiting({ chance }: StepScopes, turns: number): Promise<readonly number[]> {
  const before = chance.now();
  for (let turn = 0; turn < turns; turn++) await new Promise((done) => setImmediate(done));
  return [before, chance.now()];
}
