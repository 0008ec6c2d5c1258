import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/**
 * Pictures leave through few functions of the packages below. A file of the app that uses one must ask for leave: it
 * names the type that only `egress/` makes. Clients of models are guarded, see below.
 */
const WAYS_OUT: readonly { readonly use: RegExp; readonly needs: RegExp }[] = [
  { use: /\.workflows\.run(?:Saved)?\(|\.foundation\b|\.models\.infer\(/, needs: /\bAllowedPicture\b/ },
  { use: /\bengine\.createEngine\(/, needs: /\ballowPicture: egress\.admitOutgoing\b/ },
  { use: /\bkeepSession\(|new SupervisedPipeline\(/, needs: /\bAllowedStream\b/ },
];
/** The only folder that may say that a picture is allowed. */
const DECIDES = "packages/vision-agent/src/egress/";

const sources = globSync("packages/vision-agent/src/**/*.ts")
  .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

it("whatever sends pictures takes only those that were allowed", () => {
  const past = sources.filter(({ text }) => WAYS_OUT.some(({ use, needs }) => use.test(text) && !needs.test(text)));
  expect(past.map(({ path }) => path)).toEqual([]);
  // A rule that finds nothing would prove nothing.
  for (const { use } of WAYS_OUT)
    expect(
      sources.some(({ text }) => use.test(text)),
      String(use),
    ).toBe(true);
});

it("nobody but egress/ says that a picture is allowed", () => {
  const forged = sources.filter(
    ({ path, text }) => /\bas (?:unknown as )?Allowed(?:Picture|Stream)\b/.test(text) && !path.startsWith(DECIDES),
  );
  expect(forged.map(({ path }) => path)).toEqual([]);
});

it("every client of a model that can see is opened behind the guard", () => {
  const direct = sources.filter(({ text }) =>
    /(?:from|import\() ?"@vision-agent\/agent-core\/(?:anthropic|openai)"/.test(text),
  );
  expect(direct.map(({ path }) => path)).toEqual(["packages/vision-agent/src/agent/open-model.ts"]);
  const made = direct.flatMap(({ text }) => text.match(/\S*create(?:Anthropic|OpenAI)Client\(/g) ?? []);
  expect(made).toEqual(["guardModel(createAnthropicClient(", "guardModel(createOpenAIClient("]);
});
