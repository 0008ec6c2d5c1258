import { SPEC } from "../../testing/fake-app.ts";
import { fakeEvent } from "../../testing/fake-offline-app.ts";
import { testWordings, type Wording } from "../../testing/play-wordings.ts";

const saved = { "globex/shelf-audit": SPEC, "globex/pallet_check": SPEC };
const storeAudit = { workspace_name: "globex", workflow_id: "shelf-audit" };

function crossings(direction: "in" | "out", times: number) {
  const minutes = Array.from({ length: times }, (_, at) => String(at).padStart(2, "0"));
  return minutes.map((minute) =>
    fakeEvent({
      at: `2026-03-09T1${direction === "in" ? 0 : 4}:${minute}:00.000Z`,
      camera: "dock",
      kind: "line_crossed",
      class_name: "truck",
      direction,
    }),
  );
}
const crossed = { events: [...crossings("in", 6), ...crossings("out", 9)] };

const CONTEXT: readonly Wording[] = [
  {
    say: "For yard I want dogs, for street I want cars. Start both please.",
    does: [
      ["start_pipeline", { video_reference: "yard", pipeline_name: "yard-dog-detect" }],
      ["start_pipeline", { video_reference: "street", pipeline_name: "street-car-detect" }],
    ],
  },
  {
    say: "Dogs, on the yard camera. Alert me when one stays there for a minute.",
    does: [["create_watch", { cameras: ["yard"], classes: ["dog"], when: "stays", seconds: 60 }]],
  },
  {
    say: "Build me a workflow on the street: detect cars, track them and count how many pass a vertical line in the middle. Validate it first and correct any errors.",
    does: [["start_pipeline", { video_reference: "street", pipeline_name: "street-car-count" }]],
  },
  {
    say: "Count cars going across street. The line should be horizontal.",
    does: [["start_pipeline", { pipeline_name: "street-horizontal-car-count" }]],
  },
];

const TELLING: readonly Wording[] = [
  {
    say: "I'd like an alarm when a cat sits on the yard for over 15 seconds",
    does: [["create_watch", { cameras: ["yard"], classes: ["cat"], when: "stays", seconds: 15 }]],
  },
  {
    say: "Truck, dock, more than ten minutes, notify.",
    does: [["create_watch", { cameras: ["dock"], classes: ["truck"], when: "stays", seconds: 600 }]],
  },
  {
    say: "Warn me when somebody lingers by the delivery ramp for more than 4 minutes",
    app: { cameras: ["sidegate", "street"], about: { sidegate: "Delivery ramp, north wall" } },
    does: [["create_watch", { cameras: ["sidegate"], classes: ["person"], when: "stays", seconds: 240 }]],
  },
  {
    say: "tell me when a dog comes to the side gate",
    app: { cameras: ["sidegate", "street"] },
    does: [["create_watch", { cameras: ["sidegate"], classes: ["dog"], when: "appears" }]],
  },
];

const onYard = (args: object): Wording["does"] => [["create_watch", { cameras: ["yard"], ...args }]];

const CONDITIONS: readonly Wording[] = [
  {
    say: "If the yard stays deserted for a quarter of an hour, drop me a line.",
    does: onYard({ when: "absent", seconds: 900 }),
  },
  {
    say: "A truck should not be parked in the yard for longer than 20 minutes. Tell me if one is.",
    does: onYard({ classes: ["truck"], when: "stays", seconds: 1200 }),
  },
  {
    say: "notify me when a suitcase is left in the yard for more than 5 minutes",
    does: onYard({ classes: ["suitcase"], when: "stays", seconds: 300 }),
  },
  { say: "Tell me if a car blocks the yard for 90 seconds", does: onYard({ classes: ["car"], seconds: 90 }) },
  {
    say: "tell me if the yard hasn't seen a truck for two hours",
    does: onYard({ classes: ["truck"], when: "absent", seconds: 7200 }),
  },
  { say: "Tell me once the yard is free again", does: onYard({ when: "absent" }) },
  { say: "Let me know when the last person has left the yard", does: onYard({ when: "absent" }) },
  {
    say: "tell me if the queue in the yard is longer than 5 people for over 2 minutes",
    does: onYard({ when: "count", at_least: 6, seconds: 120 }),
  },
  {
    say: "Tell me whenever there are three or more cars in the yard, but not more than once every half hour",
    does: onYard({ when: "count", at_least: 3, cooldown_seconds: 1800 }),
  },
  {
    say: "Somebody has been stealing packages. Watch the yard for people at night and alert me, critical.",
    does: onYard({ classes: ["person"], active_from: "22:00", severity: "critical" }),
  },
  {
    say: "Let me hear about every car that enters the right half of the yard between 6pm and 8am",
    does: onYard({ classes: ["car"], when: "enters_zone", active_from: "18:00", active_to: "08:00" }),
  },
  {
    say: "on every camera except yard, tell me when a person appears",
    does: [["create_watch", { cameras: ["street", "dock"], classes: ["person"] }]],
  },
];

const watched = "Tell me when a person appears on dock";
const replaced = (args: object): Wording["does"] => [
  ["create_watch", {}],
  ["create_watch", { ...args, replaces: "watch_1" }],
];

const CORRECTING: readonly Wording[] = [
  { say: [watched, "Not more than twice an hour please"], does: replaced({ cooldown_seconds: 1800 }) },
  { say: [watched, "This is annoying, I get one every minute"], does: replaced({ cooldown_seconds: 300 }) },
  {
    say: [watched, "Way too many messages. Once every 20 minutes is plenty."],
    does: replaced({ cooldown_seconds: 1200 }),
  },
  {
    say: [watched, "Keep alerting me about people on dock, but at most once an hour"],
    does: replaced({ cameras: ["dock"], classes: ["person"], cooldown_seconds: 3600 }),
  },
  { say: ["tell me when a car stays on dock for 5 minutes", "no, 15"], does: replaced({ seconds: 900 }) },
  { say: ["Tell me when more than 3 people are on dock", "Better five"], does: replaced({ at_least: 5 }) },
  {
    say: ["Tell me when a person or a dog appears on yard", "leave the dog out"],
    does: replaced({ classes: ["person"] }),
  },
  {
    say: ["tell me when someone stays on yard for 2 minutes", "two minutes isn't enough, use five"],
    does: replaced({ seconds: 300 }),
  },
  { say: [watched, "not there, on yard"], does: replaced({ cameras: ["yard"] }) },
  { say: [watched, "Wrong camera, I wanted yard"], does: replaced({ cameras: ["yard"] }) },
  {
    say: [watched, "Forget about it"],
    does: [
      ["create_watch", {}],
      ["remove_watch", { watch_id: "watch_1" }],
    ],
  },
];

const CHANGING: readonly Wording[] = [
  {
    say: ["tell me when a car stays on street for 10 minutes", "Ten is too little, make it twenty."],
    does: [
      ["create_watch", { seconds: 600 }],
      ["create_watch", { cameras: ["street"], seconds: 1200, replaces: "watch_1" }],
    ],
  },
  {
    say: ["tell me when someone stays on dock longer than 30 seconds", "30 seconds was too long. Ten instead."],
    does: [
      ["create_watch", { seconds: 30 }],
      ["create_watch", { cameras: ["dock"], seconds: 10, replaces: "watch_1" }],
    ],
  },
  {
    say: [
      "tell me when a person stays on yard for 2 minutes",
      "The alert on the yard should only fire for people who stay 10 minutes",
    ],
    does: [
      ["create_watch", { seconds: 120 }],
      ["create_watch", { cameras: ["yard"], classes: ["person"], seconds: 600, replaces: "watch_1" }],
    ],
  },
  {
    say: ["Start a count on the dock, would you?", "Trucks, please. Count the trucks going over the middle."],
    does: [["start_pipeline", { video_reference: "dock", pipeline_name: "dock-truck-count" }]],
  },
  { say: "Begin counting on yard", does: [], says: /What shall I count .*\?/ },
  {
    say: "Switch everything off and give me a recap of today",
    app: { ...crossed, running: [] },
    does: [],
    asks: [["list_pipelines", {}]],
    says: /nothing to stop[\s\S]*Summary/,
  },
];

const NOTES: readonly Wording[] = [
  {
    say: "The gardener has a new van, it's green. Please write that down.",
    does: [["remember", { content: "The gardener has a new van, it's green.", category: "knowledge" }]],
  },
  {
    say: "Our shifts begin at seven from now on. Make a note of it.",
    does: [["remember", { content: "Our shifts begin at seven from now on." }]],
  },
  { say: "When does the chimney sweep come again?", does: [], asks: [["recall", {}]] },
  { say: "There should be a note on the alarm code. What's in it?", does: [], asks: [["recall", {}]] },
  { say: "Who waters the plants on Mondays?", does: [], asks: [["recall", {}]] },
];

const PAST: readonly Wording[] = [
  { say: "how many trucks drove out of the dock yesterday?", does: [], app: crossed, says: /^9 trucks/ },
  { say: "How many trucks came in on dock yesterday", does: [], app: crossed, says: /^6 trucks/ },
  { say: "Trucks that passed the line on dock yesterday going in", does: [], app: crossed, says: /\b6 trucks/ },
];

const SAVED: readonly Wording[] = [
  {
    say: "launch globex's shelf-audit on dock, two frames per second will do",
    app: { saved },
    does: [["start_pipeline", { ...storeAudit, video_reference: "dock", max_fps: 2 }]],
  },
  {
    say: "Run our pallet_check workflow on yard. Workspace: globex.",
    app: { saved },
    does: [["start_pipeline", { workspace_name: "globex", workflow_id: "pallet_check", video_reference: "yard" }]],
  },
  {
    say: "globex is the workspace, shelf-audit is the workflow. Start it on street.",
    app: { saved },
    does: [["start_pipeline", { ...storeAudit, video_reference: "street" }]],
  },
  {
    say: "Workflow shelf-audit of workspace globex on the yard camera at 3 fps",
    app: { saved },
    does: [["start_pipeline", { ...storeAudit, video_reference: "yard", max_fps: 3 }]],
  },
  {
    say: "Use my workflow 'shelf-audit' on dock at 2 fps",
    app: { saved, prompt: "# About me\n\n- The Roboflow workspace is globex." },
    does: [["start_pipeline", { ...storeAudit, video_reference: "dock", max_fps: 2 }]],
  },
];

const BEYOND: readonly Wording[] = [
  { say: "Tilt the street cam down a little", does: [], says: /^I cannot turn, tilt or zoom/ },
  { say: "Can the cameras be rotated?", does: [], says: /^I cannot turn, tilt or zoom/ },
  { say: "Could you lock the gate for me?", does: [], says: /^I cannot open, close or lock/ },
  { say: "Please switch on the porch light", does: [], says: /^I cannot open, close or lock .*switch lights/ },
  { say: "Is Anna at the dock?", does: [], says: /^I cannot tell people apart.*"Anna"/ },
  { say: "Recognise my neighbour and tell me when he comes", does: [], says: /^I cannot tell people apart/ },
  { say: "tell me if somebody falls on the dock", does: [], says: /^I cannot tell such details \("falls"\)/ },
  { say: "Send an ambulance to the dock", does: [], says: /^I did not understand/ },
  { say: "Delete all recordings", does: [], says: /^I cannot delete what was recorded/ },
  { say: "Record a video of the dock", does: [], says: /^I cannot "record" anything for you/ },
  { say: "Is it going to rain?", does: [], says: /^I cannot tell you about the future.*"going to rain"/ },
  { say: "Let me know when a worker on dock has no hard hat", does: [], says: /^I cannot see .*"hard hat".*model/ },
];

testWordings({
  "what stands beside a wish": CONTEXT,
  "wishes to be told": TELLING,
  conditions: CONDITIONS,
  corrections: CORRECTING,
  "changes and answers": CHANGING,
  notes: NOTES,
  "what crossed before": PAST,
  "saved workflows": SAVED,
  "what cannot be done": BEYOND,
});
