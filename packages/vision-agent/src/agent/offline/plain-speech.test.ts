import { countingStatus, fakeEvent } from "../../testing/fake-offline-app.ts";
import { testWordings, type Wording } from "../../testing/play-wordings.ts";

const onYard = (args: object): Wording["does"] => [["create_watch", { cameras: ["yard"], ...args }]];

const UNKNOWN: readonly Wording[] = [
  { say: "Tell me when a boy and a horse are both on the yard", does: onYard({ when: "together", other: ["horse"] }) },
  { say: "notify me when a toddler is all alone in the yard", does: [], says: /^I cannot keep to "alone"/ },
];

const onTuesday = (camera: string, at: string) => fakeEvent({ at, camera, class_name: "bus" });
const buses = { events: [onTuesday("street", "07:15"), onTuesday("street", "09:40"), onTuesday("street", "13:02")] };

const ENDS: readonly Wording[] = [
  {
    say: "What time did the first bus come on street today?",
    does: [],
    app: buses,
    says: /^The first was at .*07:15/,
  },
  { say: "When was the earliest bus on street?", does: [], app: buses, says: /^The first was at .*07:15/ },
  { say: "And the very last bus today, when was that?", does: [], app: buses, says: /^The last was at .*13:02/ },
  { say: "Which bus stayed longest today?", does: [], app: buses, says: /not recorded/ },
];

const DAYS: readonly Wording[] = [
  {
    say: "Tell me about people on dock on school days",
    does: [["create_watch", { days: ["mon", "tue", "wed", "thu", "fri"] }]],
  },
  { say: "watch dock for cars Sat and Sun only", does: [["create_watch", { days: ["sat", "sun"] }]] },
  {
    say: ["Tell me when a truck comes to dock, tue - thu between 8 and 18:00", "ok"],
    does: [["create_watch", { cameras: ["dock"], active_from: "08:00", active_to: "18:00" }]],
  },
  {
    say: "Count cars on street on Saturdays",
    does: [["start_pipeline", { pipeline_name: "street-car-count" }]],
    says: /It counts every day, not only on Saturdays/,
  },
];

const SPELLING: readonly Wording[] = [
  { say: "alret me when a vehicel shows up on yard", does: onYard({ classes: ["car", "truck", "bus", "motorcycle"] }) },
  {
    say: "Watch the wharf-gaet for cyclits",
    app: { cameras: ["wharf-gate", "street"] },
    does: [["create_watch", { cameras: ["wharf-gate"], classes: ["bicycle"] }]],
  },
  { say: ["tell me when a lorry passes the house on yard", "yes"], does: onYard({ classes: ["truck"] }) },
  { say: "Ping me when a moped or a minibus turns up on yard", does: onYard({ classes: ["motorcycle", "bus"] }) },
  {
    say: ["let me know when some folks and their puppies are on yard", "yes"],
    does: onYard({ classes: ["person"], other: ["dog"] }),
  },
];

const AMOUNTS: readonly Wording[] = [
  { say: "tell me if half a dozen people are on yard", does: onYard({ when: "count", at_least: 6 }) },
  { say: "tell me when twenty-five cars or more are on yard", does: onYard({ when: "count", at_least: 25 }) },
  { say: "Alert me when two trucks are on yard at once", does: onYard({ when: "count", at_least: 2 }) },
  { say: "warn me if a car stays on yard for an hour and a half", does: onYard({ when: "stays", seconds: 5400 }) },
  { say: "warn me if a car stays on yard for 2 minutes 30 seconds", does: onYard({ when: "stays", seconds: 150 }) },
  {
    say: "tell me about people on yard between half past nine at night and a quarter to six in the morning",
    does: onYard({ active_from: "21:30", active_to: "05:45" }),
  },
  { say: "tell me when someone comes to the yard after dusk", does: onYard({ active_from: "sunset" }) },
];

const two = {
  running: [countingStatus(), countingStatus({ pipeline_id: "pl_2", name: "dock-count", video_reference: "dock" })],
};
const stops = (id: string): Wording["does"] => [["stop_pipeline", { pipeline_id: id }]];

const SPARED: readonly Wording[] = [
  { say: "Shut everything down apart from the dock", app: two, does: stops("pl_1") },
  { say: "stop all the pipelines except dock-count", app: two, does: stops("pl_1") },
  { say: "Stop the one on dock, but leave street as it is", app: two, does: stops("pl_2") },
  { say: "Halt the dock count and keep the other one going", app: two, does: stops("pl_2") },
  { say: "Stop everything but the dock and the street", app: two, does: [], says: /^Nothing else is running/ },
];

const BESIDE: readonly Wording[] = [
  {
    say: "From 9 pm to 4 am, warn me about every truck on yard",
    does: onYard({ active_from: "21:00", active_to: "04:00" }),
  },
  { say: "No dog on the yard for half an hour? Please inform me.", does: onYard({ when: "absent", seconds: 1800 }) },
  { say: "A bicycle on yard for more than 2 minutes. Then send me an alert, please.", does: onYard({ seconds: 120 }) },
  { say: "if 5 or more people wait in the yard shout please", does: onYard({ when: "count", at_least: 5 }) },
  {
    say: ["tell me when more than 4 people are on yard", "Ugh, that is still too few. Nine or more."],
    does: [...onYard({ at_least: 5 }), ...onYard({ at_least: 9 })],
  },
  {
    say: "A truck was on yard at noon yesterday. Why did I hear nothing?",
    does: [],
    says: /^Nothing is watched on yard/,
  },
  { say: "Tell me about the cars on yard yesterday", does: [], asks: [["search_events", { class_name: "car" }]] },
  {
    say: "My own model is acme/gloves/2. Could you get it running on the yard camera?",
    does: [["start_pipeline", { video_reference: "yard", model_id: "acme/gloves/2" }]],
  },
  {
    say: "Let me know whenever my cousin Rita walks by on yard",
    does: [],
    says: /^I cannot tell people apart.*"Rita"/,
  },
  {
    say: "Check the yard for people without gloves every 20 minutes",
    does: [],
    says: /^I cannot see what people wear.*"gloves"/,
  },
];

const own = {
  events: [1, 2, 3].map((hour) => fakeEvent({ at: `2026-03-09T0${hour}:00:00.000Z`, class_name: "no-gloves" })),
};

const ENDING: readonly Wording[] = [
  {
    say: "Watch the yard for dogs tonight",
    does: onYard({ active_from: "18:00", expires_at: "2026-03-11T06:00:00.000Z" }),
    says: /tonight \(it ends at/,
  },
  {
    say: "keep watch over yard for cars for the next three hours",
    does: onYard({ when: "appears", expires_at: "2026-03-10T18:30:00.000Z" }),
    says: /it ends at/,
  },
  {
    say: "There must not be any dogs on yard at night. Warn me if there is one.",
    does: onYard({ active_from: "22:00" }),
  },
  { say: "Is the garage door still open?", does: [], says: /^I cannot tell such details/ },
  {
    say: "How many people were on street at 9 yesterday morning?",
    does: [],
    asks: [["search_events", { from: "2026-03-09T08:45:00.000Z", to: "2026-03-09T09:15:00.000Z" }]],
  },
];

const FORBIDDEN: readonly Wording[] = [
  {
    say: "Nobody is permitted on yard between 23:00 and 4:00. Warn me, critical.",
    does: onYard({ classes: ["person"], when: "appears", active_from: "23:00", severity: "critical" }),
  },
  {
    say: "Ensure no one is on yard after 9 pm and tell me otherwise",
    does: onYard({ when: "appears", active_from: "21:00" }),
  },
  {
    say: "Pause the street count until 7 pm",
    app: two,
    does: [
      ["pause_pipeline", { pipeline_id: "pl_1" }],
      ["schedule_task", { at: "2026-03-10T19:01:00.000Z" }],
    ],
  },
];

const dogs = "watch yard for dogs";

const SECOND: readonly Wording[] = [
  {
    say: [dogs, "That camera is not right, take the dock"],
    does: [
      ["create_watch", {}],
      ["create_watch", { cameras: ["dock"] }],
    ],
  },
  {
    say: [dogs, "I do not want yard, I want street"],
    does: [
      ["create_watch", {}],
      ["create_watch", { cameras: ["street"] }],
    ],
  },
  {
    say: [dogs, "the same on dock, please"],
    does: [
      ["create_watch", {}],
      ["create_watch", { cameras: ["yard", "dock"] }],
    ],
  },
  {
    say: [dogs, "Every 8 minutes would be enough"],
    does: [
      ["create_watch", {}],
      ["create_watch", { cooldown_seconds: 480 }],
    ],
  },
  {
    say: [dogs, "forget the last one"],
    does: [
      ["create_watch", {}],
      ["remove_watch", { watch_id: "watch_1" }],
    ],
  },
];

const WHERE: readonly Wording[] = [
  { say: "Tell me when a dog gets near the flower bed on yard", does: [], says: /where "flower( bed)?" lies.*\?/ },
  {
    say: "Tell me when there are between 2 and 4 cars on yard",
    does: [["create_watch", { condition: { kind: "all" } }]],
    says: /there are between 2 and 4 cars/,
  },
];

const RECORDED: readonly Wording[] = [
  { say: "How many times was there a no-gloves on street yesterday?", does: [], app: own, says: /^3 no-gloves/ },
  {
    say: "Did you see a badger on yard yesterday?",
    does: [],
    says: /^I have no badgers on record .*No detector here finds that/,
  },
  { say: "Whose is the green tractor, who owns it?", does: [], asks: [["recall", {}]] },
];

const WAYS: readonly Wording[] = [
  {
    say: "Whenever a bus drives by from left to right on yard, ping me",
    does: onYard({ when: "crosses_line", direction: "in" }),
  },
  {
    say: "Count just the bicycles that ride out on street",
    does: [["start_pipeline", { pipeline_name: "street-bicycle-count" }]],
    says: /Both ways are counted/,
  },
  { say: "alert >= 3 dogs on yard", does: onYard({ classes: ["dog"], when: "count", at_least: 3 }) },
  { say: "Keep a sharp look-out for horses on yard", does: onYard({ classes: ["horse"], when: "appears" }) },
];

const STREAM = "rtsp://10.0.0.9/live";
const OWN_DEEDS: readonly Wording[] = [
  "What did you do today?",
  "what have you changed since Monday?",
  "did you stop anything last night?",
  "which changes have you made?",
].map((say) => ({ say, does: [], asks: [["list_changes", {}]], says: /^I changed nothing / }));

testWordings({
  "what it did itself": [
    ...OWN_DEEDS,
    { say: "what did you see today?", does: [], asks: [["search_events", {}]] },
    { say: "what did you start this morning?", does: [], asks: [["list_changes", {}]] },
  ],
  "a camera in several sentences": [
    ...["New camera! I put one in the stable, stream is", "We have a new camera in the stable. It is at"].map(
      (say) => ({
        say: `${say} ${STREAM}`,
        does: [["save_camera", { name: "stable", source: STREAM }]] as const,
        saysNot: /called\?/,
      }),
    ),
    { say: `add two cameras: barn at ${STREAM} and shed at ${STREAM}2`, does: [], says: /^What should the camera be/ },
  ],
  "said again after a question": [
    {
      say: ["maybe watch the yard for horses", "watch the yard for horses"],
      does: [["create_watch", { cameras: ["yard"], classes: ["horse"] }]],
    },
    { say: ["maybe watch the yard for horses", "what do you see on dock?"], does: [], says: /^On dock I see/ },
  ],
  "what no detector tells": UNKNOWN,
  "the first and the last": ENDS,
  "days of the week": DAYS,
  "slips and other words": SPELLING,
  "numbers in words": AMOUNTS,
  "what has to stay": SPARED,
  "what stands beside a wish": BESIDE,
  "what may not be": FORBIDDEN,
  "second thoughts": SECOND,
  "where and with whom": WHERE,
  "what was recorded": RECORDED,
  "when and until when": ENDING,
  "ways and signs": WAYS,
});
