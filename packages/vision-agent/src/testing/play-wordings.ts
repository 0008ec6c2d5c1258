// wordings with what has to come of each → tests
// biome-ignore lint/correctness/noUndeclaredDependencies: tests alone load this, and vitest is of the whole repository.
import { describe, expect, it } from "vitest";
import { createOfflineApp, type OfflineApp, type OfflineAppOptions } from "./fake-offline-app.ts";

export interface Wording {
  /** One turn, or several. */
  readonly say: string | readonly string[];
  /** Every call that changes something, in order, with some of its arguments. */
  readonly does: readonly (readonly [tool: string, args: object])[];
  /** Calls that only look, among others. */
  readonly asks?: readonly (readonly [tool: string, args: object])[];
  readonly says?: RegExp;
  readonly saysNot?: RegExp;
  readonly app?: OfflineAppOptions;
  /** A picture comes with it. */
  readonly withPicture?: boolean;
}

const LOOKS =
  /^(?:list_|get_|capture_frame$|search_events$|recall$|detect_zero_shot$|ask_about_image$|validate_workflow$|explain_event$|preview_watch$)/;
async function play({ say, app: options, withPicture = false }: Wording): Promise<{ answer: string; app: OfflineApp }> {
  const app = createOfflineApp(options);
  let answer = "";
  for (const turn of [say].flat()) answer = await app.ask(turn, { withPicture });
  return { answer, app };
}

/** One test for each wording, in groups by what they have in common. */
export function testWordings(groups: Readonly<Record<string, readonly Wording[]>>): void {
  describe.each(Object.entries(groups))("%s", (_, wordings) => {
    it.each(wordings.map((wording) => [[wording.say].flat().join(" / "), wording] as const))(
      "%s",
      async (_say, wording) => {
        const { answer, app } = await play(wording);
        const done = app.calls.filter(({ tool }) => !LOOKS.test(tool));
        expect(done, answer).toMatchObject(wording.does.map(([tool, args]) => ({ tool, args })));
        for (const [tool, args] of wording.asks ?? [])
          expect(app.calls, answer).toContainEqual({ tool, args: expect.objectContaining(args) });
        if (wording.says !== undefined) expect(answer).toMatch(wording.says);
        if (wording.saysNot !== undefined) expect(answer).not.toMatch(wording.saysNot);
      },
    );
  });
}
