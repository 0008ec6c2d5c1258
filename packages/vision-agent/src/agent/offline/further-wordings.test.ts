import { SPEC } from "../../testing/fake-app.ts";
import { fakeEvent } from "../../testing/fake-offline-app.ts";
import { testWordings, type Wording } from "../../testing/play-wordings.ts";

const watch = (camera: string, args: object): Wording["does"][number] => [
  "create_watch",
  { cameras: [camera], ...args },
];
const start = (camera: string, name: string): Wording["does"][number] => [
  "start_pipeline",
  { video_reference: camera, pipeline_name: name },
];
const topLeft = [
  [0, 0],
  [0.333, 0],
  [0.333, 0.333],
  [0, 0.333],
];

const TAKEN_OVER: readonly Wording[] = [
  {
    say: "Somebody keeps loitering in the top left corner of street. If someone is there for longer than a minute, alert me.",
    does: [watch("street", { classes: ["person"], when: "stays", seconds: 60, zone: topLeft })],
  },
  {
    say: "You may only stop on the dock for a quarter of an hour. Alert me if a truck is there longer than that.",
    does: [watch("dock", { classes: ["truck"], when: "stays", seconds: 900 })],
  },
  {
    say: "How many trucks drive through the top of dock? Begin counting them.",
    does: [start("dock", "dock-top-truck-count")],
  },
  {
    say: "Put a horizontal line in the middle of street and count the cars crossing it",
    does: [start("street", "street-horizontal-car-count")],
  },
  {
    say: "Give me an alert whenever a car passes the middle of street going left. Ignore the ones going right.",
    does: [watch("street", { classes: ["car"], when: "crosses_line", direction: "out" })],
  },
  {
    say: "Detect people on dock and cars and trucks on street",
    does: [start("dock", "dock-person-detect"), start("street", "street-car-truck-detect")],
  },
];

const PLACES: readonly Wording[] = [
  {
    say: "tell me if nobody is in the back office for 20 minutes",
    app: { cameras: ["cam1", "cam2"], about: { cam1: "Loading ramp", cam2: "Back office" } },
    does: [watch("cam2", { when: "absent", seconds: 1200 })],
  },
  {
    say: "let me know if someone hangs around the bike shed for more than 3 minutes",
    app: { cameras: ["cam1", "cam2"], about: { cam1: "Reception", cam2: "Bike shed" } },
    does: [watch("cam2", { classes: ["person"], when: "stays", seconds: 180 })],
  },
];

const TELLING: readonly Wording[] = [
  {
    say: "It would be good to know when nobody's been on the yard for 20 minutes",
    does: [watch("yard", { when: "absent", seconds: 1200 })],
  },
  { say: "Make sure I hear about it if a cat shows up on street", does: [watch("street", { classes: ["cat"] })] },
  {
    say: "Loitering on yard longer than 90 sec - let me know",
    does: [watch("yard", { classes: ["person"], when: "stays", seconds: 90 })],
  },
  {
    say: "If the dock is unmanned for 10 mins between 9 and 5, notify me.",
    does: [watch("dock", { when: "absent", seconds: 600, active_from: "09:00", active_to: "17:00" })],
  },
  {
    say: "Monitor dock. I'm interested in trucks that stay more than half an hour.",
    does: [watch("dock", { classes: ["truck"], when: "stays", seconds: 1800 })],
  },
  {
    say: "Look at dock every 10 minutes and tell me how many people are there",
    does: [["schedule_task", { instructions: "tell me how many people are there on dock", every_minutes: 10 }]],
  },
  {
    say: "Alert the guards when somebody is on the yard at night",
    does: [watch("yard", { classes: ["person"], active_from: "22:00" })],
  },
];

const BEYOND: readonly Wording[] = [
  {
    say: "Tell me when the humidity on the yard goes over 60 percent.",
    does: [],
    says: /^I cannot tell such details \("humidity"\)/,
  },
  { say: "Please lower the shutters on dock", does: [], says: /^I cannot open, close/ },
  { say: "Stop the conveyor belt at the dock", does: [], says: /^I cannot open, close or lock .*machines/ },
  { say: "Let the courier in at the yard", does: [], says: /^I cannot open, close/ },
  { say: "Honk at the people on the street", does: [], says: /^I cannot "honk"/ },
  { say: "Text Maria that the truck is here", does: [], says: /^I cannot "text" anything for you/ },
  {
    say: "E-mail the report to my boss",
    does: [],
    says: /^I cannot "e-mail" anything for you: I have no hands, no phone/,
  },
  { say: "Post the picture of the yard on Instagram", does: [], says: /^I cannot "post" anything/ },
  { say: "Save a clip of the dock to my USB stick", does: [], says: /^I cannot "save" anything/ },
  { say: "Which employee is that on the dock?", does: [], says: /^I cannot tell people apart/ },
  { say: "Tell me when my neighbour comes to the yard", does: [], says: /^I cannot tell people apart/ },
  { say: "Warn me if a car on the street goes faster than 50", does: [], says: /^I cannot tell such details/ },
  { say: "Is the gate on yard closed?", does: [], says: /^I cannot tell such details/ },
  { say: "What's the capital of France?", does: [], says: /^I do not know/ },
];

const NOT_BEYOND: readonly Wording[] = [
  { say: "Bring up the dock", does: [], says: /^On dock I see/ },
  { say: "Grab a frame from street", does: [], says: /^On street I see/ },
  { say: "Share what you see on dock", does: [], says: /^On dock I see/ },
  { say: "Record how many cars pass on street", does: [start("street", "street-car-count")] },
  { say: "Whisper to me when a cat is on yard", does: [watch("yard", { classes: ["cat"] })] },
  { say: "Could you check which camera has people on it?", does: [], says: /On yard I see/ },
];

const stayed = "tell me when a car stays 5 minutes on yard";
const first = watch("yard", { classes: ["car"], seconds: 300 });
const changed = (args: object): Wording["does"] => [
  first,
  ["create_watch", { classes: ["car"], when: "stays", ...args, replaces: "watch_1" }],
];

const CHANGING: readonly Wording[] = [
  { say: [stayed, "Well, 5 minutes is too little. Put it at ten minutes."], does: changed({ seconds: 600 }) },
  { say: [stayed, "Five minutes is a bit tight, ten would be better"], does: changed({ seconds: 600 }) },
  { say: [stayed, "not cars, trucks"], does: changed({ classes: ["truck"], seconds: 300 }) },
  { say: [stayed, "I don't need it during the day"], does: changed({ active_from: "22:00", active_to: "06:00" }) },
  { say: [stayed, "Don't bother me at night"], does: changed({ active_from: "06:00", active_to: "22:00" }) },
  { say: [stayed, "And please not more than one message an hour"], does: changed({ cooldown_seconds: 3600 }) },
  {
    say: ["tell me when a car or a truck stays 5 minutes on yard", "Forget the trucks"],
    does: changed({ classes: ["car"] }).with(0, watch("yard", { classes: ["car", "truck"] })),
  },
  {
    say: ["Tell me when a person enters the left half of yard", "Tell me when a person enters the right half of yard"],
    does: [watch("yard", { when: "enters_zone" }), watch("yard", { when: "enters_zone" })],
    saysNot: /replaces/,
  },
];

const [dogs, trucks] = ["watch yard for dogs", "watch dock for trucks"];
const [cars, people] = ["count cars on street", "count people on yard"];
const watched = [watch("yard", { classes: ["dog"] }), watch("dock", { classes: ["truck"] })];
const counted = [start("street", "street-car-count"), start("yard", "yard-person-count")];

const ENDING: readonly Wording[] = [
  {
    say: [dogs, trucks, "I don't need the dog alert any more. Leave the other as it is."],
    does: [...watched, ["remove_watch", { watch_id: "watch_1" }]],
    saysNot: /took nothing/,
  },
  {
    say: [dogs, trucks, "No need to look out for dogs any more"],
    does: [...watched, ["remove_watch", { watch_id: "watch_1" }]],
  },
  {
    say: [cars, people, "Give the street count a break, please. The rest goes on."],
    does: [...counted, ["pause_pipeline", { pipeline_id: "pl_1" }]],
  },
  { say: [cars, people, "stop counting cars"], does: [...counted, ["stop_pipeline", { pipeline_id: "pl_1" }]] },
];

const NAMED: readonly Wording[] = [
  {
    say: "acme/bottle-caps/7 is what we trained. I want that on the street camera at 3 fps.",
    does: [["start_pipeline", { video_reference: "street", model_id: "acme/bottle-caps/7", max_fps: 3 }]],
  },
  {
    say: "There is a saved workflow 'shelf-audit' (workspace globex); could that be started on street?",
    app: { saved: { "globex/shelf-audit": SPEC } },
    does: [],
    says: /Should I/,
  },
  {
    say: "Hello! This was taken in the yard. Use acme/gate/5 on the picture, please.",
    withPicture: true,
    does: [["run_inference", { model_id: "acme/gate/5" }]],
  },
  {
    say: "I want to draw up a workflow. Which blocks can re-identify things?",
    does: [],
    says: /^Blocks for tracking/,
  },
];

const trucksOf = (direction: "in" | "out", times: number) =>
  Array.from({ length: times }, (_, at) =>
    fakeEvent({
      at: `2026-03-09T10:0${at}:00.000Z`,
      camera: "dock",
      kind: "line_crossed",
      class_name: "truck",
      direction,
    }),
  );

const CAMERAS: readonly Wording[] = [
  {
    say: "There's a new camera at rtsp://10.0.0.7/live, call it backdoor",
    does: [["save_camera", { name: "backdoor", source: "rtsp://10.0.0.7/live" }]],
  },
  {
    say: "Connect the attic camera, it is at sim://warehouse",
    does: [["save_camera", { name: "attic", source: "sim://warehouse" }]],
  },
  { say: "Can you add another camera?", does: [], says: /^What should the camera be called\?/ },
  { say: "Rename the yard camera to garden", does: [["save_camera", { name: "yard", new_name: "garden" }]] },
];

const PAST: readonly Wording[] = [
  {
    say: "How many trucks passed on dock yesterday? Only the ones coming in.",
    app: { events: [...trucksOf("in", 4), ...trucksOf("out", 2)] },
    does: [],
    says: /^4 trucks went in/,
  },
  {
    say: "I'd like to get a daily overview at 6:30 of what happened",
    does: [["schedule_task", { cron: "30 6 * * *" }]],
  },
  {
    say: "Every evening at 7 I want a summary of the day",
    does: [["schedule_task", { cron: "0 19 * * *", instructions: "summarize the day" }]],
  },
  {
    say: "I was away. What happened on dock between noon and 3pm?",
    does: [],
    says: /^I have nothing on record on dock/,
  },
];

const OWN_MODELS: readonly Wording[] = [
  {
    say: "With our model acme/helmets/2, warn me as soon as it sees a bare-head on dock",
    does: [watch("dock", { classes: ["bare-head"], when: "appears", model_id: "acme/helmets/2" })],
  },
  {
    say: "We trained acme/crates/9 ourselves. Tell me when a crate appears on yard, using the model acme/crates/9",
    does: [watch("yard", { classes: ["crate"], model_id: "acme/crates/9" })],
  },
];

const COMPLAINTS: readonly Wording[] = [
  {
    say: ["Count cars crossing the middle of yard", "Whoops, my mistake. I meant street."],
    does: [start("yard", "yard-car-count"), start("street", "street-car-count"), ["stop_pipeline", {}]],
  },
];

const SPOKEN: readonly Wording[] = [
  {
    say: "Give me a shout if a lorry's been standing on dock for a whole hour",
    does: [watch("dock", { classes: ["truck"], when: "stays", seconds: 3600 })],
  },
  {
    say: "What is the name of that lady on street right now?",
    does: [],
    says: /I do not know|cannot tell people apart/,
  },
  {
    say: ["Count people crossing the middle of street", "Right, switch the entire thing off"],
    does: [start("street", "street-person-count"), ["stop_pipeline", {}]],
  },
];

testWordings({
  "models of one's own": OWN_MODELS,
  "complaints with what would be better": COMPLAINTS,
  "as it is spoken": SPOKEN,
  "what is taken over from a sentence before": TAKEN_OVER,
  "cameras by their place": PLACES,
  "wishes to be told": TELLING,
  "what cannot be done": BEYOND,
  "what sounds alike and can be done": NOT_BEYOND,
  changes: CHANGING,
  endings: ENDING,
  "models, workflows and blocks": NAMED,
  "new cameras": CAMERAS,
  "the past": PAST,
});
