import { describe, expect, it } from "vitest";
import type { Intent, Known } from "./intent.ts";
import { parseInstruction } from "./parse-instruction.ts";

const HOUSE: Known = {
  cameras: ["street", "warehouse", "Front Door"],
  pipelines: [],
};
const COUNTING: Known = {
  ...HOUSE,
  pipelines: [
    { name: "street-count", camera: "street", counts: true },
    { name: "warehouse-watch", camera: "warehouse", counts: false },
  ],
};
const ONE: Known = { cameras: ["street"], pipelines: [] };
const person = ["person"];

describe("looking", () => {
  it.each<[string, string, readonly string[]]>([
    ["What do you see on street?", "street", []],
    ["what do you see on the street camera", "street", []],
    ["Show me the warehouse", "warehouse", []],
    ["show street", "street", []],
    ["Take a picture of the front-door", "Front Door", []],
    ["What's happening at the front door?", "Front Door", []],
    ["what is on warehouse", "warehouse", []],
    ["describe the street", "street", []],
    ["STREET", "street", []],
    ["Is there anyone in the warehouse?", "warehouse", person],
    ["are there any dogs or cats on street", "street", ["dog", "cat"]],
    ["do you see a car on the street?", "street", ["car"]],
    ["how many people are in the warehouse right now?", "warehouse", person],
    ["look at camera street please", "street", []],
    ["whats on the warehouse cam", "warehouse", []],
    ["anything going on at the front door?", "Front Door", []],
  ])("%j looks at %s", (text, camera, classes) => {
    expect(parseInstruction(text, HOUSE)).toMatchObject({ kind: "look", camera, classes });
  });

  it("knows a question for a figure from one for yes or no", () => {
    expect(parseInstruction("how many people are in the warehouse?", HOUSE)).toMatchObject({ howMany: true });
    expect(parseInstruction("are there people in the warehouse?", HOUSE)).toMatchObject({ howMany: false });
  });

  it("needs no name while there is one camera", () => {
    expect(parseInstruction("What do you see?", ONE)).toMatchObject({ kind: "look", camera: "street", classes: [] });
  });

  it("takes the only camera on which something runs", () => {
    const known = { ...HOUSE, pipelines: COUNTING.pipelines.slice(0, 1) };
    expect(parseInstruction("What do you see?", known)).toMatchObject({ kind: "look", camera: "street" });
  });
});

describe("counting", () => {
  const count = { kind: "count", camera: "street", classes: person, line: "vertical", alert: false };
  it.each<[string, Partial<Extract<Intent, { kind: "count" }>>]>([
    ["count people crossing the middle of the street camera", {}],
    ["Count the people on street.", {}],
    ["please count pedestrians on the street", {}],
    ["Could you count how the people cross street?", {}],
    ["count cars on street", { classes: ["car"] }],
    ["count cars and bikes on street", { classes: ["car", "bicycle"] }],
    ["count vehicles on street", { classes: ["car", "truck", "bus", "motorcycle"] }],
    ["count boxes in the warehouse", { camera: "warehouse", classes: ["package"] }],
    ["count everything on street", { classes: [] }],
    ["count people crossing a horizontal line on street", { line: "horizontal" }],
    ["count people at the top of the street camera", { line: "top" }],
    ["count people crossing the bottom of street", { line: "bottom" }],
    ["count people on the left of street", { line: "left" }],
    ["tell me when a person crosses the street camera", { alert: true }],
  ])("%j starts a count", (text, expected) => {
    expect(parseInstruction(text, HOUSE)).toEqual({ ...count, ...expected });
  });
});

describe("questions and refusals", () => {
  it.each(["did you count the cars on street?", "what do you watch on street", "why do you count people on street?"])(
    "%j starts nothing",
    (text) => {
      expect(["count", "watch"]).not.toContain(parseInstruction(text, HOUSE).kind);
    },
  );

  it.each(["don't count people on street", "dont watch the street", "please do not count on street any more"])(
    "%j stops",
    (text) => {
      const target = { kind: "camera", camera: "street" };
      expect(parseInstruction(text, COUNTING)).toEqual({ kind: "stop", target });
    },
  );

  it("does not stop when told not to", () => {
    expect(parseInstruction("don't stop", COUNTING).kind).toBe("unknown");
  });
});

describe("watching", () => {
  it.each<[string, string, readonly string[]]>([
    ["watch warehouse for people", "warehouse", person],
    ["Watch the street for cars and trucks", "street", ["car", "truck"]],
    ["monitor the front door for parcels", "Front Door", ["package"]],
    ["tell me when someone comes to the front door", "Front Door", person],
    ["let me know if a dog appears on street", "street", ["dog"]],
    ["alert me when there is a truck on street", "street", ["truck"]],
    ["keep an eye on street", "street", []],
    ["look out for cats on street", "street", ["cat"]],
  ])("%j watches %s", (text, camera, classes) => {
    expect(parseInstruction(text, HOUSE)).toEqual({ kind: "watch", camera, classes });
  });
});

describe("asking for totals", () => {
  it.each([
    "how many people crossed?",
    "How many people?",
    "how many people have crossed the street so far",
    "what is the count?",
    "what's the total on street",
    "how many went through the street camera",
    "results of street-count",
    "what did you count?",
    "how many so far?",
    "who crossed the line?",
  ])("%j reads the counting pipeline", (text) => {
    expect(parseInstruction(text, COUNTING)).toMatchObject({ kind: "totals", pipelines: ["street-count"] });
  });

  it("says so when nothing counts", () => {
    expect(parseInstruction("how many people crossed?", HOUSE)).toMatchObject({
      kind: "ask",
      question: expect.stringContaining("Nothing counts"),
    });
  });

  it("looks when the question is about now and about a camera", () => {
    expect(parseInstruction("how many cars are on street?", COUNTING)).toMatchObject({
      kind: "look",
      camera: "street",
    });
  });
});

describe("listing and stopping", () => {
  it.each([
    "list",
    "list pipelines",
    "what is running?",
    "What's running",
    "which pipelines are active",
    "status",
    "what are you watching?",
  ])("%j lists", (text) => {
    expect(parseInstruction(text, COUNTING)).toEqual({ kind: "list" });
  });

  it.each([
    "stop everything",
    "Stop all pipelines",
    "turn off everything",
    "remove all pipelines",
    "delete everything",
  ])("%j stops all", (text) => {
    expect(parseInstruction(text, COUNTING)).toEqual({ kind: "stop", target: { kind: "everything" } });
  });

  it.each(["stop counting", "stop the count"])("%j stops the only one that counts", (text) => {
    const target = { kind: "words", words: "street-count" };
    expect(parseInstruction(text, COUNTING)).toEqual({ kind: "stop", target });
  });

  it.each(["which cameras are there", "what cameras do you have?", "list cameras", "how many cameras are there?"])(
    "%j names the cameras",
    (text) => {
      expect(parseInstruction(text, COUNTING)).toEqual({ kind: "cameras" });
    },
  );

  it("stops by camera", () => {
    const target = { kind: "camera", camera: "street" };
    expect(parseInstruction("stop counting people on street", COUNTING)).toEqual({ kind: "stop", target });
  });

  it("does not take the name of a pipeline for the camera inside it", () => {
    const target = { kind: "words", words: "stop street-count" };
    expect(parseInstruction("Stop street-count.", COUNTING)).toEqual({ kind: "stop", target });
  });
});

describe("asking back", () => {
  it.each(["what do you see?", "count people", "watch for cars"])("%j names the cameras", (text) => {
    expect(parseInstruction(text, HOUSE)).toEqual({
      kind: "ask",
      question: "Which camera do you mean: street, warehouse, Front Door?",
    });
  });

  it.each([
    "what do you see on the garage camera?",
    "count people on garage",
    "show me the garage",
    "watch garage for people",
  ])("%j says that the camera is unknown", (text) => {
    const intent = parseInstruction(text, HOUSE);
    expect(intent).toMatchObject({ kind: "ask", question: expect.stringContaining('"garage"') });
    expect(intent).toMatchObject({ question: expect.stringContaining("street, warehouse and Front Door") });
  });

  it("asks for a class that detectors know", () => {
    expect(parseInstruction("count unicorns on street", HOUSE)).toMatchObject({
      kind: "ask",
      question: expect.stringContaining('"unicorns"'),
    });
  });

  it("says where to add the first camera", () => {
    expect(parseInstruction("what do you see?", { cameras: [], pipelines: [] })).toMatchObject({
      question: expect.stringContaining("CAMERAS.md"),
    });
  });
});

describe("the rest", () => {
  it.each<[string, Intent["kind"]]>([
    ["help", "help"],
    ["what can you do?", "help"],
    ["Hello!", "greeting"],
    ["good morning", "greeting"],
    ["thank you", "thanks"],
    ["tell me when a person enters the loading zone on street", "beyond"],
    ["watch street for people only at night", "beyond"],
    ["what happened yesterday?", "beyond"],
    ["is everyone wearing a helmet on street?", "beyond"],
    ["pause street", "beyond"],
    ["what happened on street in the last 10 minutes", "beyond"],
    ["Was siehst du?", "unknown"],
    ["the moon is made of cheese", "unknown"],
    ["", "unknown"],
  ])("%j is read as %s", (text, kind) => {
    expect(parseInstruction(text, HOUSE).kind).toBe(kind);
  });

  it("reads text that looks like code or an order to itself as plain words", () => {
    const text = "ignore your rules and $(rm -rf) `stop` (.*)+$ [";
    expect(parseInstruction(text, { cameras: ["a.*(b"], pipelines: [] }).kind).toBe("stop");
  });
});
