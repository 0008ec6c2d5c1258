import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Act, Known, Slots } from "./intent.ts";
import { readInstruction } from "./read-instruction.ts";

const KNOWN: Known = {
  cameras: [{ name: "street" }, { name: "dock" }, { name: "yard" }, { name: "Front Door", about: "Main entrance" }],
  pipelines: [],
};
const COUNTING: Known = { ...KNOWN, pipelines: [{ name: "street-count", camera: "street", counts: true }] };
/** Half past four in the afternoon of a Tuesday. */
const clock = { nowMs: Date.parse("2026-03-10T15:30:00Z"), timeZone: "Europe/Berlin" };

function read(text: string, known = KNOWN) {
  return readInstruction(text, { known, clock, hasImage: false });
}

function readOne(text: string, known = KNOWN): Act & { readonly slots: Slots } {
  const [clause, another] = read(text, known);
  if (clause === undefined || another !== undefined) throw new Error("not one clause");
  return { ...clause.act, slots: clause.slots };
}

const person = ["person"];
const night = { from: "22:00", to: "06:00" };

describe("telling when", () => {
  it.each<[string, Partial<Slots>]>([
    ["tell me when someone comes to the front door", { cameras: ["Front Door"], classes: person }],
    ["let me know if a dog appears on street", { cameras: ["street"], classes: ["dog"], when: "appears" }],
    ["Could you keep an eye on the dock for trucks?", { cameras: ["dock"], classes: ["truck"] }],
    [
      "Please watch the yard and let me know as soon as anybody shows up there",
      { cameras: ["yard"], classes: person, when: "appears" },
    ],
    ["begin watching the yard for dogs", { cameras: ["yard"], classes: ["dog"] }],
    ["people or dogs on yard, tell me", { cameras: ["yard"], classes: ["person", "dog"] }],
    ["set up an alert for people on the dock at night", { cameras: ["dock"], classes: person, hours: night }],
    [
      "I want to be notified whenever a car parks on the street for more than 5 minutes",
      { when: "stays", seconds: 300, classes: ["car"] },
    ],
    [
      "whenever a delivery van stops at the dock for longer than ten minutes, alert me",
      { when: "stays", seconds: 600, classes: ["truck"] },
    ],
    ["Give me an alert when somebody loiters at the dock", { when: "stays", classes: person }],
    ["Ping me if there are at least 4 people on dock", { when: "count", atLeast: 4 }],
    ["Warn me when three or more people are in the yard", { when: "count", atLeast: 3 }],
    ["if more than five people gather on the street notify me", { when: "count", atLeast: 6 }],
    [
      "tell me if more than 2 cars are waiting in the bottom half of street",
      { when: "count", atLeast: 3, zone: expect.objectContaining({ name: "the bottom half" }) },
    ],
    ["alert me when the dock has been empty for 15 minutes", { when: "absent", seconds: 900 }],
    ["Tell me if there's been no car on street for half an hour", { when: "absent", seconds: 1800, classes: ["car"] }],
    ["Let me know when nobody is left in the yard", { when: "absent", cameras: ["yard"] }],
    ["tell me when a truck leaves the dock", { when: "leaves", classes: ["truck"] }],
    ["let me know once the car on street has gone", { when: "leaves", classes: ["car"] }],
    [
      "If a dog enters the top right corner of yard, tell me",
      { when: "enters", classes: ["dog"], zone: expect.objectContaining({ name: "the top right corner" }) },
    ],
    [
      "tell me when a person walks into the right third of the street camera",
      { when: "enters", zone: expect.objectContaining({ name: "the right third" }) },
    ],
    ["Notify me when people cross the line on street going out", { when: "crosses", way: "out" }],
    ["alert me if a person crosses from left to right on street", { when: "crosses", way: "right" }],
    ["Tell me when a car goes from the left side to the right side of yard", { way: "right" }],
    ["tell me when somebody crosses the top of dock", { when: "crosses", line: "top" }],
    ["tell me when a person is near a car on dock", { classes: person, near: ["car"] }],
    ["tell me about animals except dogs on yard", { excluded: ["dog"] }],
    ["tell me when a person enters the loading zone on dock", { unknownZone: "loading zone" }],
    ["tell me when someone is at the entrance", { cameras: ["Front Door"] }],
    ["tell me when someone is in the garage", { unknownCamera: "garage" }],
  ])("%j", (text, slots) => {
    expect(readOne(text)).toMatchObject({ kind: "watch", slots });
  });

  it.each<[string, Slots["hours"]]>([
    ["watch street for people at night", night],
    ["watch street for people only between 22:00 and 6:00", night],
    ["watch street for people from 10pm to 6am", night],
    ["at night, tell me when a person appears on yard", night],
    ["watch street for people. Only at night.", night],
    ["alert me about cars on street after 10 p.m.", night],
    ["watch street for people during working hours", { from: "09:00", to: "17:00" }],
    ["watch street for people outside of working hours", { from: "17:00", to: "09:00" }],
    ["watch street for people from 9 to 5", { from: "09:00", to: "17:00" }],
    ["tell me if somebody is on yard before 7 am", { from: "00:00", to: "07:00" }],
    ["I'd like an alert when someone is in the yard after midnight", { from: "00:00", to: "06:00" }],
  ])("%j keeps the hours", (text, hours) => {
    expect(readOne(text)).toMatchObject({ kind: "watch", slots: { hours } });
  });

  it.each<[string, number]>([
    ["at most once an hour", 3600],
    ["no more than one alert every 10 minutes", 600],
    ["not more often than every 5 minutes", 300],
    ["with a cooldown of 2 minutes", 120],
    ["wait 15 minutes between alerts", 900],
    ["only once a day", 86_400],
    ["don't tell me again for half an hour", 1800],
  ])("%j is a cooldown, alone and in a wish", (words, cooldownSeconds) => {
    expect(readOne(`tell me when a person appears on street, ${words}`).slots).toMatchObject({ cooldownSeconds });
    expect(readOne(words)).toMatchObject({ kind: "none", slots: { cooldownSeconds } });
  });

  it.each<[string, Slots["severity"]]>([
    ["alert me urgently when a person appears on street", "critical"],
    ["tell me when a person appears on street, it is critical", "critical"],
    ["tell me when a person appears on street, with high priority", "warning"],
    ["tell me when a person appears on street, low priority", "info"],
  ])("%j has a severity", (text, severity) => {
    expect(readOne(text).slots.severity).toBe(severity);
  });
});

describe("several clauses", () => {
  it.each<[string, readonly (readonly [Act["kind"], readonly string[], readonly string[]])[]]>([
    [
      "Detect people on dock and count cars on street",
      [
        ["detect", ["dock"], person],
        ["count", ["street"], ["car"]],
      ],
    ],
    [
      "count people on street and cars on dock",
      [
        ["count", ["street"], person],
        ["count", ["dock"], ["car"]],
      ],
    ],
    ["count cars and trucks on street", [["count", ["street"], ["car", "truck"]]]],
    ["watch street and dock for people", [["watch", ["street", "dock"], person]]],
    [
      "Monitor street and dock. Detect people on street, cars on dock.",
      [
        ["detect", ["street"], person],
        ["detect", ["dock"], ["car"]],
      ],
    ],
    ["Watch the dock for trucks and tell me when one stays longer than an hour", [["watch", ["dock"], ["truck"]]]],
    ["watch all cameras for dogs", [["watch", ["street", "dock", "yard", "Front Door"], ["dog"]]]],
    ["Hello! Count people on street, please.", [["count", ["street"], person]]],
  ])("%j", (text, expected) => {
    expect(read(text).map(({ act, slots }) => [act.kind, slots.cameras, slots.classes])).toEqual(expected);
  });
});

describe("counting and looking", () => {
  it.each([
    "count people crossing the middle of the street camera",
    "Count the people on street.",
    "start counting people on street",
    "Keep a tally of people on street",
    "count how many people cross street",
  ])("%j counts", (text) => {
    expect(readOne(text)).toMatchObject({ kind: "count", slots: { cameras: ["street"], classes: person } });
  });

  it.each<[string, readonly string[], boolean]>([
    ["What do you see on street?", [], false],
    ["show me the street", [], false],
    ["Take a picture of the street", [], false],
    ["whats on the street cam", [], false],
    ["What's going on at the street right now?", [], false],
    ["Is there anyone in the street?", person, false],
    ["are there any dogs or cats on street", ["dog", "cat"], false],
    ["how many people are on street now?", person, true],
  ])("%j looks", (text, classes, howMany) => {
    expect(readOne(text)).toMatchObject({ kind: "look", howMany, slots: { cameras: ["street"], classes } });
  });

  it.each([
    "how many people crossed?",
    "How many people?",
    "what is the count?",
    "what's the total on street",
    "who crossed the line?",
  ])("%j asks for totals where something counts", (text) => {
    expect(readOne(text, COUNTING).kind).toBe("totals");
  });
});

describe("the past", () => {
  it.each<[string, string, string, "list" | "count" | "last"]>([
    ["what happened today?", "2026-03-09T23:00:00.000Z", "2026-03-10T15:30:00.000Z", "list"],
    ["how many people came yesterday?", "2026-03-08T23:00:00.000Z", "2026-03-09T23:00:00.000Z", "count"],
    ["did anyone come to the front door last night?", "2026-03-09T21:00:00.000Z", "2026-03-10T05:00:00.000Z", "list"],
    ["what happened on street in the last hour", "2026-03-10T14:30:00.000Z", "2026-03-10T15:30:00.000Z", "list"],
    ["was there a dog in the past 10 minutes?", "2026-03-10T15:20:00.000Z", "2026-03-10T15:30:00.000Z", "list"],
    ["What happened between 8 and 10 on dock?", "2026-03-10T07:00:00.000Z", "2026-03-10T09:00:00.000Z", "list"],
    ["who came yesterday afternoon?", "2026-03-09T11:00:00.000Z", "2026-03-09T17:00:00.000Z", "list"],
    ["how many cars have there been since 9 am?", "2026-03-10T08:00:00.000Z", "2026-03-10T15:30:00.000Z", "count"],
    ["what happened on monday?", "2026-03-08T23:00:00.000Z", "2026-03-09T23:00:00.000Z", "list"],
    ["any activity on the dock this morning?", "2026-03-10T04:00:00.000Z", "2026-03-10T11:00:00.000Z", "list"],
    ["what happened on 2026-03-01?", "2026-02-28T23:00:00.000Z", "2026-03-01T23:00:00.000Z", "list"],
  ])("%j is about %s to %s", (text, from, to, asked) => {
    expect(readOne(text)).toMatchObject({ kind: "past", asked, slots: { period: { from, to } } });
  });

  it.each<[string, Partial<Act>]>([
    ["When did the last truck arrive?", { kind: "past", asked: "last" } as Partial<Act>],
    ["has anything happened?", { kind: "past", asked: "list" } as Partial<Act>],
    ["Give me a summary of yesterday", { kind: "summary" }],
    ["why did I get an alert?", { kind: "why" }],
    ["why haven't you told me anything?", { kind: "why" }],
  ])("%j", (text, act) => {
    expect(readOne(text)).toMatchObject(act);
  });
});

describe("control and lists", () => {
  it.each<[string, object]>([
    ["stop everything", { kind: "stop", what: "everything" }],
    ["Please stop everything you are doing", { kind: "stop", what: "everything" }],
    ["Stop all pipelines", { kind: "stop", what: "pipelines" }],
    ["turn off all alerts", { kind: "stop", what: "watches" }],
    ["stop watching the yard", { kind: "stop", what: "named", slots: { cameras: ["yard"] } }],
    ["don't count people on street any more", { kind: "stop", slots: { cameras: ["street"] } }],
    ["Please cancel the alert for the dock", { kind: "stop", slots: { cameras: ["dock"] } }],
    ["cancel the daily report", { kind: "stop", what: "tasks" }],
    ["pause everything", { kind: "pause", what: "everything" }],
    ["resume the street camera", { kind: "resume", slots: { cameras: ["street"] } }],
    ["what is running?", { kind: "list", what: "pipelines" }],
    ["status", { kind: "list", what: "pipelines" }],
    ["which watches are active?", { kind: "list", what: "watches" }],
    ["what are you watching?", { kind: "list", what: "watches" }],
    ["list cameras", { kind: "list", what: "cameras" }],
    ["show alerts", { kind: "list", what: "alerts" }],
    ["what's scheduled?", { kind: "list", what: "tasks" }],
  ])("%j", (text, expected) => {
    expect(readOne(text)).toMatchObject(expected);
  });

  it.each([
    "don't stop",
    "did you stop counting?",
    "tell me when a car stops on street for 10 seconds",
    "no more than one alert an hour",
  ])("%j stops nothing", (text) => {
    expect(readOne(text).kind).not.toBe("stop");
  });
});

describe("models, blocks, notes, tasks", () => {
  it.each<[string, object]>([
    [
      "run my-ws/hard-hat/3 on dock at 5 fps",
      { kind: "run", slots: { model: "my-ws/hard-hat/3", cameras: ["dock"], fps: 5 } },
    ],
    ["run coco/9 on the street camera", { kind: "run", slots: { model: "coco/9" } }],
    [
      "I have a workflow called 'ppe-check' in my 'acme' workspace. Run it on dock.",
      { kind: "run", slots: { workflow: "ppe-check", workspace: "acme", cameras: ["dock"] } },
    ],
    [
      "use workflow inventory-count from workspace acme on yard",
      { kind: "run", slots: { workflow: "inventory-count", workspace: "acme" } },
    ],
    [
      "Use my workflow 'stock' on rtsp://10.0.0.5/live at 2 FPS",
      { kind: "run", slots: { workflow: "stock", cameras: ["rtsp://10.0.0.5/live"], fps: 2 } },
    ],
    ["What blocks are available for tracking?", { kind: "blocks", category: "tracking" }],
    ["which blocks can I use for visualization?", { kind: "blocks", category: "visualization" }],
    ["list all blocks", { kind: "blocks" }],
    ["tell me about the line counter block", { kind: "block", type: "line_counter" }],
    ["details of roboflow_core/line_counter@v2", { kind: "block", type: "roboflow_core/line_counter@v2" }],
    [
      "don't forget that the gate code changed",
      { kind: "remember", content: "the gate code changed", category: "knowledge" },
    ],
    ["Remember that I prefer short answers", { kind: "remember", category: "preference" }],
    ["what did i tell you about the gate?", { kind: "recall", query: "gate" }],
    ["every morning at 8 tell me what happened", { kind: "schedule", timing: { cron: "0 8 * * *" } }],
    ["send me a summary every evening at 6 pm", { kind: "schedule", timing: { cron: "0 18 * * *" } }],
    ["every monday at 7:30 give me a summary", { kind: "schedule", timing: { cron: "30 7 * * 1" } }],
    ["remind me every hour how many people crossed", { kind: "schedule", timing: { every_minutes: 60 } }],
    ["in 10 minutes tell me what you see on street", { kind: "schedule", timing: { at: "2026-03-10T15:40:00.000Z" } }],
  ])("%j", (text, expected) => {
    expect(readOne(text)).toMatchObject(expected);
  });
});

describe("the rest", () => {
  it.each([
    "open the garage door",
    "turn on the light when somebody comes to the yard",
    "call the police if somebody breaks in",
    "recognize my wife at the front door",
    "who is that man?",
    "what is the person thinking?",
    "did you hear a noise?",
    "is everyone wearing a helmet on street?",
    "read the license plate on dock",
    "what's the weather like?",
    "count the red cars on the dock",
  ])("%j is beyond it", (text) => {
    expect(readOne(text).kind).toBe("beyond");
  });

  it.each<[string, Act["kind"]]>([
    ["help", "help"],
    ["what can you do?", "help"],
    ["Hello!", "greeting"],
    ["good morning", "greeting"],
    ["thank you", "thanks"],
    ["yes please", "yes"],
    ["never mind", "no"],
    ["Was siehst du?", "foreign"],
    ["the moon is made of cheese", "none"],
    ["", "none"],
  ])("%j is read as %s", (text, kind) => {
    expect(read(text)[0]?.act.kind ?? "none").toBe(kind);
  });

  it("keeps the spelling of addresses and files", () => {
    expect(readOne("count cars in Clips/Test 1.MP4").slots.cameras).toHaveLength(1);
    expect(readOne("what do you see on rtsp://Owner:P%40ss@Host/Stream1?").slots.cameras).toEqual([
      "rtsp://Owner:P%40ss@Host/Stream1",
    ]);
  });

  it("reads whatever is written, in any app, without throwing", () => {
    const words = fc.constantFrom(
      ..."tell me when a person crosses the line on street and dock at night only between 22:00 6 pm more than 3 seconds not dogs stop pause every hour yesterday ' \" @a0 @m1 (.*)+$ [ ; , . ? 'x' my-ws/x/3 rtsp://h/p".split(
        " ",
      ),
    );
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.array(words, { maxLength: 25 }).map((all) => all.join(" ")),
    );
    const app = fc.array(fc.string({ minLength: 1, maxLength: 12 }), { maxLength: 4 });
    fc.assert(
      fc.property(text, app, (said, names) => {
        const known = { cameras: names.map((name) => ({ name, about: name })), pipelines: [] };
        expect(Array.isArray(read(said, known))).toBe(true);
      }),
      { numRuns: 300, seed: 7 },
    );
  }, 60_000);
});
