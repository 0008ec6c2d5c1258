import { describe, expect, it } from "vitest";
import { EvalSetError, parseInstructionFile } from "./load-eval-set.ts";

const PATH = "/set/counting/cars.yaml";
const SOUND = `say: Count cars
correct: I meant the gate
images: [../pictures/a.jpg]
house:
  cameras: { gate: sim://street }
expect:
  answer: { all: [car] }
`;

describe("parseInstructionFile", () => {
  it("takes name and family from the path, and pictures relative to the file", () => {
    expect(parseInstructionFile(PATH, SOUND)).toMatchObject({
      name: "cars",
      family: "counting",
      turns: ["Count cars"],
      correction: "I meant the gate",
      images: ["/set/pictures/a.jpg"],
      house: { cameras: { gate: "sim://street" }, pipelines: [], watches: [], events: [], memory: [] },
      expected: { answer: { all: ["car"] } },
    });
  });

  it("reads the same document as JSON, and turns as a list", () => {
    const document = { say: ["one", "two"], house: { cameras: {} }, expect: { watches: [{}] } };
    const instruction = parseInstructionFile("/set/a/b.json", JSON.stringify(document));
    expect(instruction.turns).toEqual(["one", "two"]);
    expect(instruction).not.toHaveProperty("correction");
    expect(instruction.expected.watches).toEqual([{ enabled: true, optional: false }]);
  });

  it.each([
    ["text that is no YAML", SOUND.replace("{ all: [car] }", "@car"), 7, "not valid YAML"],
    ["an empty file", "", 1, "expected object"],
    ["a missing key", SOUND.replace("say: Count cars", "#"), 1, "say: what the person says"],
    ["an unknown key at the top", `${SOUND}extra: 1\n`, 8, "there is no key extra"],
    ["an unknown key below", SOUND.replace("all: [car]", "every: [car]"), 7, "there is no key every in expect.answer"],
    ["a wrong value", SOUND.replace("all: [car]", "asks: perhaps"), 7, "expect.answer.asks"],
    ["nothing expected", SOUND.replace("  answer: { all: [car] }", "  {}"), 6, "at least one of pipelines"],
    [
      "a pattern in a list",
      SOUND.replace("answer: { all: [car] }", "watches:\n    - {}\n    - seconds: x"),
      9,
      "expect.watches.1.seconds: a number, or from and to",
    ],
    ["a camera without address", SOUND.replace("sim://street", "{ notes: x }"), 5, "house.cameras.gate: an address"],
    [
      "a pipeline that does nothing",
      SOUND.replace("expect:", "  pipelines:\n    - { name: a, camera: gate }\nexpect:"),
      7,
      "exactly one of follows, counts, workflow",
    ],
    [
      "a moment nobody knows",
      SOUND.replace("expect:", "  events:\n    - { kind: left, camera: gate,\n        at: some day }\nexpect:"),
      8,
      "house.events.0.at: a moment",
    ],
    [
      "something wrong inside a choice",
      SOUND.replace("answer: { all: [car] }", "any_of:\n    - ledger: { effects: some }"),
      8,
      "expect.any_of.0.ledger.effects: none, or a list of calls",
    ],
  ])("names file and line of %s", (_, text, line, words) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${PATH}:${line}: `);
    expect(problems[0]).toContain(words);
  });

  it("tells everything that is wrong at once", () => {
    expect(
      problemsOf(SOUND.replace("all: [car]", "asks: perhaps, every: 1").replace("sim://street", "7")),
    ).toHaveLength(3);
  });
});

function problemsOf(text: string): readonly string[] {
  try {
    parseInstructionFile(PATH, text);
  } catch (error) {
    if (error instanceof EvalSetError) return error.problems;
    throw error;
  }
  return [];
}
