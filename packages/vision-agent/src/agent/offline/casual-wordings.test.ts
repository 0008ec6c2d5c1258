import { expect } from "vitest";
import { countingStatus, fakeEvent } from "../../testing/fake-offline-app.ts";
import { testWordings, type Wording } from "../../testing/play-wordings.ts";

const watch = (cameras: readonly string[], args: object): Wording["does"][number] => [
  "create_watch",
  { cameras, ...args },
];
const start = (camera: string, name: string): Wording["does"][number] => [
  "start_pipeline",
  { video_reference: camera, pipeline_name: name },
];
const search = (args: object): readonly [string, object] => ["search_events", args];
const YESTERDAY = { from: "2026-03-09T00:00:00.000Z", to: "2026-03-10T00:00:00.000Z" };

const STORIES: readonly Wording[] = [
  { say: "Right then, what cams do I have on the system?", does: [], says: /3 cameras: street, dock and yard/ },
  {
    say: "Warn me if anybody goes into the left third of dock, because the floor is wet.",
    does: [watch(["dock"], { classes: ["person"], when: "enters_zone" })],
  },
  { say: "There's a van at dock again. Who does it belong to?", does: [], says: /I do not know/ },
];

const THIS_MOMENT: readonly Wording[] = [
  "How many people are in the dock right this second?",
  "How many folks have you got on dock right at this moment?",
  "How many people are on dock right now?",
].map((say) => ({ say, does: [], says: /^3 people on dock/, saysNot: /right half/ }));

const IT: readonly Wording[] = [
  {
    say: "The lads park the truck in the top left corner of yard and then nobody can get out. If it's there for more than 10 minutes let me know.",
    does: [watch(["yard"], { classes: ["truck"], when: "stays", seconds: 600, zone: expect.any(Array) })],
  },
  {
    say: "Our boys leave the bicycle at dock and nobody can get by. Once it has been there over 15 minutes please tell me.",
    does: [watch(["dock"], { classes: ["bicycle"], when: "stays", seconds: 900 })],
    saysNot: /No detector/,
  },
];

const MISSING: readonly Wording[] = [
  ["If you don't see any people for 20 minutes on dock, tell me.", "dock", "person", 1200],
  ["When you can't see any dog on yard for half an hour, warn me.", "yard", "dog", 1800],
].map(([say = "", camera, className, seconds]) => ({
  say: String(say),
  does: [watch([String(camera)], { classes: [className], when: "absent", seconds })],
}));

const SHORT_STAYS: readonly Wording[] = [
  ["Tell me when a car appears on yard. Ignore it if it leaves within 2 minutes.", "car", 120],
  ["Tell me when a car comes to yard, but not if it's gone again within 5 minutes.", "car", 300],
  ["Tell me when a person appears on yard. Don't tell me if they leave within 30 seconds.", "person", 30],
  ["Tell me about every car on yard unless it drives off within a minute.", "car", 60],
].map(([say, className, seconds]) => ({
  say: String(say),
  does: [watch(["yard"], { classes: [className], when: "stays", seconds })],
}));

const DEADLINES: readonly Wording[] = [
  ...[
    "Tell me if nobody shows up on dock by 10 am.",
    "Let me know if the truck isn't on dock by 9:30.",
    "Warn me if no car has come to yard before 8 am.",
    "Tell me if the truck hasn't arrived at dock by noon.",
  ].map((say) => ({
    say,
    does: [],
    says: /^How long should it be\? I wait for a length of time, not until a time of day/,
  })),
  {
    say: "Tell me if a person is on dock by 6 am.",
    does: [watch(["dock"], { when: "appears", active_to: "06:00" })],
  },
  {
    say: "How many people came to dock by 10 am today?",
    does: [],
    asks: [search({ camera: "dock", to: "2026-03-10T10:00:00.000Z" })],
  },
];

const TWO_QUESTIONS: readonly Wording[] = [
  {
    say: "How many people went in yesterday on dock, and how many went out?",
    does: [],
    asks: [
      search({ camera: "dock", direction: "in", ...YESTERDAY }),
      search({ camera: "dock", direction: "out", ...YESTERDAY }),
    ],
  },
  {
    say: "How many cars came on street yesterday, and how many on yard?",
    does: [],
    asks: [
      search({ camera: "street", class_name: "car", ...YESTERDAY }),
      search({ camera: "yard", class_name: "car", ...YESTERDAY }),
    ],
    saysNot: /I see/,
  },
  {
    say: "How many trucks came to dock yesterday? And how many left?",
    does: [],
    asks: [search({ kind: "left", camera: "dock", class_name: "truck", ...YESTERDAY })],
  },
  {
    say: "How many people came to dock yesterday and how many are there now?",
    does: [],
    asks: [["capture_frame", { camera: "dock" }]],
  },
];

const BOTH = "Tell me when a person appears on street and on dock.";
const FIRST = watch(["street", "dock"], { when: "appears" });
const CHANGED: readonly Wording[] = [
  ...[
    "Take the street out of it.",
    "Not the street, it is too busy.",
    "Actually scrap street, only dock.",
    "No need for the street any more, the builders are always there.",
  ].map((say) => ({
    say: [BOTH, say],
    does: [FIRST, watch(["dock"], { classes: ["person"], when: "appears", replaces: "watch_1" })],
  })),
  ...[
    "Regarding the dog alert on yard: only tell me between 20:00 and 6:00 please.",
    "Concerning that alert, I don't want it between 6:00 and 20:00.",
  ].map((say) => ({
    say: ["Tell me when a dog appears on yard.", say],
    does: [
      watch(["yard"], { classes: ["dog"] }),
      watch(["yard"], { classes: ["dog"], active_from: "20:00", active_to: "06:00", replaces: "watch_1" }),
    ],
  })),
];

const remembered = (content: string): Wording["does"][number] => ["remember", { content }];
const TOLD: readonly Wording[] = [
  {
    say: ["Remember that the blue van belongs to Sue from the bakery."],
    does: [remembered("the blue van belongs to Sue from the bakery.")],
    says: /Sue/,
  },
  {
    say: ["Remember that my sister's car is a red Corsa.", "What colour is my sister's car?"],
    does: [remembered("my sister's car is a red Corsa.")],
    says: /red Corsa/,
  },
  {
    say: ["Remember that the bins go out on Thursday.", "What colour is my sister's car?"],
    does: [remembered("the bins go out on Thursday.")],
    says: /^I cannot/,
    saysNot: /bins/,
  },
  {
    say: ["Remember that the postman is called Alan.", "What is the name of the postman?"],
    does: [remembered("the postman is called Alan.")],
    says: /Alan/,
  },
];

const REFUSED: readonly Wording[] = [
  "The fellows at dock should have gloves on. Let me know when someone hasn't got any on. I don't have a model.",
  "The guys in dock are supposed to wear their gloves and half of them don't bother. Could you tell me when somebody hasn't got them on?",
  "What did the man at the dock say?",
  "What are they discussing on yard?",
  "Are they arguing on dock?",
].map((say) => ({ say, does: [], says: /^I cannot/ }));

const CHANNELS: readonly Wording[] = [
  { say: "What is on dock and text me the answer.", does: [], says: /I cannot send text/, saysNot: /could not use/ },
  {
    say: "Count the people on dock and e-mail me.",
    does: [start("dock", "dock-person-count")],
    says: /I cannot send e-mail: the answer is given here\.$/,
  },
];

const RUNNING: readonly Wording[] = [
  "Which of my cams is running the vest check right now?",
  "Which camera does the glove check run on?",
  "Where is glove-check running?",
].map((say) => ({
  say,
  does: [],
  says: /glove-check on street/,
  app: { running: [countingStatus({ name: "glove-check" })] },
}));

const SPARED: readonly Wording[] = [
  ["Tell me when a person or a truck appears on yard. Not the truck though.", ["person"]],
  ["Tell me when somebody comes to yard, my dog is always outside so ignore dogs.", ["person"]],
].map(([say, classes]) => ({ say: String(say), does: [watch(["yard"], { classes, when: "appears" })] }));

const TURNS_OF_SPEECH: readonly Wording[] = [
  {
    say: "Have a look at yard and tell me if there's anyone there now.",
    does: [],
    asks: [["capture_frame", { camera: "yard" }]],
  },
  {
    say: "When is nobody on dock since 10 minutes, you inform me please.",
    does: [watch(["dock"], { classes: ["person"], when: "absent", seconds: 600 })],
  },
  {
    say: "Give us a bell if a dog gets onto the yard, ta.",
    does: [watch(["yard"], { classes: ["dog"], when: "appears" })],
  },
  {
    say: "Cheers, that's lovely. Now how many cars have we had through street today?",
    does: [],
    asks: [search({ camera: "street", class_name: "car", from: "2026-03-10T00:00:00.000Z" })],
  },
  {
    say: ["Tell me when a cat appears on yard", "Oi, knock it off."],
    does: [watch(["yard"], {}), ["remove_watch", { watch_id: "watch_1" }]],
  },
];

testWordings({
  "what is spared is spared alone": SPARED,
  "turns of speech": TURNS_OF_SPEECH,
  "what is told beside a wish is no wish": STORIES,
  "right this minute is no side": THIS_MOMENT,
  "it is the thing, not who left it there": IT,
  "not seen for a while": MISSING,
  "who leaves soon is left out": SHORT_STAYS,
  "a time by which something must have come": DEADLINES,
  "two questions in one breath": TWO_QUESTIONS,
  "what was made is changed": CHANGED,
  "what was once told": TOLD,
  "what nobody can see or hear": REFUSED,
  "channels that are not there": CHANNELS,
  "where something runs": RUNNING,
  "what watches saw": [
    {
      say: "What happened today?",
      does: [],
      says: /a watch came true 2 times/,
      app: {
        events: ["14:05", "14:20"].map((at) => fakeEvent({ at, kind: "condition_true" })),
      },
    },
  ],
});
