import { describe, expect, it } from "vitest";
import type { AnswerPattern } from "../expectation.ts";
import { judgeAnswer } from "./judge-answer.ts";

describe("judgeAnswer", () => {
  it.each<[AnswerPattern, string]>([
    [{ all: ["cam1", ["person", "people"]] }, "Two **people** on Cam1."],
    [{ any: ["truck", "van"] }, "I saw trucks."],
    [{ any: ["doesn't know"] }, "It doesn’t know that."],
    [{ none: ["bus"] }, "A car. No busy road."],
    [{ number: 5 }, "There were five people."],
    [{ number: 1200 }, "1,200 cars passed."],
    [{ number: 0 }, "Nobody was there."],
    [{ number: { from: 2, to: 4 } }, "At 14:10 on 2026-05-09 I saw 3 cars on cam9."],
    [{ asks: true }, "Which camera do you mean?"],
    [{ asks: true }, "Two cameras are called dock. Tell me which one."],
    [{ asks: true }, "Which of the two do you mean."],
    [{ asks: false }, "Done."],
    [{ asks: false }, "I will tell you when a person comes."],
    [{ money: 1.5 }, "You have spent $1.50 of $5 today."],
    [{ money: 0.3 }, "About 30 cents a day."],
    [{ money: 0 }, "It costs nothing."],
    [{ refuses: true }, "I can't hear anything: there is no microphone."],
    [{ refuses: true }, "There is no camera called kitchen."],
    [{ refuses: true }, "The detector does not know hedgehogs."],
    [{ refuses: false }, "I watch the gate now."],
    [{ refuses: false }, "I have not started anything yet. Shall I?"],
    [{ refuses: false }, "Nothing was changed; the dock is watched as before."],
    [{ refuses: true }, "I have not started anything: I can't hear."],
    [{ refuses: true }, "I did not add it because there is no such camera."],
  ])("finds nothing wrong: %j in %j", (pattern, answer) => {
    expect(judge(pattern, answer)).toEqual([]);
  });

  it.each<[AnswerPattern, string]>([
    [{ all: ["cam1", "person"] }, "A person on cam2."],
    [{ all: ["car"] }, "A scar."],
    [{ any: ["truck", "van"] }, "I saw a bus."],
    [{ none: ["bus"] }, "Two buses."],
    [{ number: 5 }, "At 5:05 pm on 2026-05-05 cam5 saw 6 people."],
    [{ number: 5 }, "At 5 pm there were 15."],
    [{ number: 0 }, "There were three."],
    [{ asks: true }, "I cannot tell which camera."],
    [{ asks: false }, "Shall I?"],
    [{ asks: false }, "Please say what it should count."],
    [{ money: 1.5 }, "There were 1.5 people on average."],
    [{ money: { to: 1 } }, "It comes to 2 dollars a day."],
    [{ refuses: true }, "I have not changed anything."],
    [{ refuses: true }, "I will tell you when Anna comes home."],
    [{ refuses: true }, "Sorry, I did not understand that."],
    [{ refuses: false }, "That is not possible."],
  ])("finds fault: %j in %j", (pattern, answer) => {
    expect(judge(pattern, answer)).toHaveLength(1);
  });

  it("takes a turn that waits for the person for a question", () => {
    expect(judgeAnswer({ asks: true }, { answer: "Name a camera.", status: "paused" })).toEqual([]);
  });

  it("repeats the answer in the complaint, shortened", () => {
    expect(judge({ all: ["gate"] }, "x".repeat(500))[0]).toMatch(/^the answer does not say gate: "x{299}…"$/);
  });
});

function judge(pattern: AnswerPattern, answer: string): readonly string[] {
  return judgeAnswer(pattern, { answer, status: "finished" });
}
