import { fakeStatus } from "../../testing/fake-app.ts";
import { testWordings, type Wording } from "../../testing/play-wordings.ts";

const PERSON = "tell me when a person appears on yard";
const DOG = "tell me when a dog appears on yard";
const CAR = "tell me when a car appears on dock";
const STAYS = "tell me when a person stays on yard for more than a minute";
const THEN = "tell me when a person appears on yard and then a car appears on dock within 30 seconds";
const made = (count: number): Wording["does"] => Array.from({ length: count }, () => ["create_watch", {}] as const);
const count = fakeStatus({ name: "street-count" });

testWordings({
  "a colour": [
    {
      say: "tell me when a red car appears on dock",
      does: [["create_watch", { classes: ["car"], colour: "red", when: "appears" }]],
      says: /a red car appears on dock/,
    },
    {
      say: "tell me when a person in red appears on yard",
      does: [["create_watch", { classes: ["person"], colour: "red" }]],
    },
    {
      say: ["tell me when a red car appears on dock", "only at night"],
      does: [...made(1), ["create_watch", { colour: "red", replaces: "watch_1" }]],
    },
    { say: "tell me when a red car or a blue truck appears on dock", does: [] },
    { say: "count red cars on dock", does: [] },
  ],
  "a question that waits takes only an answer to it": [
    {
      say: [PERSON, DOG, "mute the yard one for 2 hours", "unmute it"],
      does: made(2),
      says: /^No such watch is muted/,
    },
    {
      say: [PERSON, DOG, "mute the yard one for 2 hours", "make it weekends only"],
      does: [...made(2), ["create_watch", { classes: ["dog"], days: ["sat", "sun"], replaces: "watch_2" }]],
    },
    {
      say: [PERSON, DOG, "mute the yard one for 2 hours", "the dog one"],
      does: [...made(2), ["mute_watch", { watch_id: "watch_2", until: "2026-03-10T17:30:00.000Z" }]],
    },
    {
      say: [PERSON, DOG, "mute the yard one for 2 hours", "watch_1"],
      does: [...made(2), ["mute_watch", { watch_id: "watch_1" }]],
    },
    {
      say: [PERSON, DOG, "mute the yard one for 2 hours", "the second one"],
      does: [...made(2), ["mute_watch", { watch_id: "watch_2" }]],
    },
    {
      say: [PERSON, DOG, "mute the yard one for 2 hours", "both"],
      does: [...made(2), ["mute_watch", { watch_id: "watch_1" }], ["mute_watch", { watch_id: "watch_2" }]],
    },
    {
      say: [PERSON, "mute it", "until 6am"],
      does: [...made(1), ["mute_watch", { until: "2026-03-11T06:00:00.000Z" }]],
    },
  ],
  "a time alone says how long the new watch lasts": [
    { say: [PERSON, "until 6am"], does: [...made(1), ["create_watch", { expires_at: "2026-03-11T06:00:00.000Z" }]] },
    { say: [PERSON, "until friday"], does: [...made(1), ["create_watch", { expires_at: "2026-03-14T00:00:00.000Z" }]] },
    {
      say: [PERSON, "for the next 2 hours"],
      does: [...made(1), ["create_watch", { expires_at: "2026-03-10T17:30:00.000Z" }]],
    },
    {
      say: "tell me when a person appears on yard until 6am",
      does: [["create_watch", { expires_at: "2026-03-11T06:00:00.000Z" }]],
    },
    {
      say: "tell me when a person appears on yard from 10 pm until 6 am",
      does: [["create_watch", { active_from: "22:00", active_to: "06:00" }]],
    },
    { say: [PERSON, "stop after friday"], does: made(1), says: /^I am not sure.* Should I remove/ },
    { say: [PERSON, "just until 6am please"], does: [...made(1), ["create_watch", { replaces: "watch_1" }]] },
  ],
  "hours after days": [
    {
      say: [STAYS, "only weekdays 9 to 5"],
      does: [
        ...made(1),
        [
          "create_watch",
          { seconds: 60, active_from: "09:00", active_to: "17:00", days: ["mon", "tue", "wed", "thu", "fri"] },
        ],
      ],
    },
    {
      say: "tell me when a person appears on yard on weekdays 9 to 5",
      does: [["create_watch", { active_from: "09:00", active_to: "17:00", days: ["mon", "tue", "wed", "thu", "fri"] }]],
    },
    {
      say: [STAYS, "only 9-5 on weekdays"],
      does: [...made(1), ["create_watch", { seconds: 60, active_from: "09:00", active_to: "17:00" }]],
    },
    {
      say: "tell me when 3 to 5 people are on yard on weekdays",
      does: [["create_watch", { condition: { kind: "all", of: [{ at_least: 3 }, { at_most: 5 }] } }]],
    },
  ],
  "what follows a question is a question": [
    {
      say: [PERSON, "what would have happened today if the cooldown was 5 minutes?", "and with 10 minutes"],
      does: made(1),
      asks: [
        ["preview_watch", { watch_id: "watch_1", changes: { cooldown_seconds: 300 } }],
        ["preview_watch", { watch_id: "watch_1", changes: { cooldown_seconds: 600 } }],
      ],
    },
    {
      say: [STAYS, "how often would it have alerted today if it was 5 minutes?", "what about only on weekends"],
      does: made(1),
      asks: [["preview_watch", { watch_id: "watch_1", changes: { seconds: 300, days: ["sat", "sun"] } }]],
    },
    {
      say: [STAYS, "how often would it have alerted today if it was 5 minutes?", "and yesterday?"],
      does: made(1),
      asks: [["preview_watch", { changes: { seconds: 300 }, from: "2026-03-09T00:00:00.000Z" }]],
    },
    { say: [PERSON, "how many people came today?", "and between 9 and 10"], does: made(1) },
  ],
  "a change that names what no watch has asks": [
    { say: [PERSON, "only tell me about the dog when we're away"], does: made(1), says: /^Which one shall I change/ },
    { say: [PERSON, "change the dog one to cats"], does: made(1), says: /^Which one shall I change/ },
    {
      say: [PERSON, CAR, "change the car one to trucks"],
      does: [...made(2), ["create_watch", { classes: ["truck"], cameras: ["dock"], replaces: "watch_2" }]],
    },
    {
      say: [PERSON, CAR, "make the person one urgent"],
      does: [...made(2), ["create_watch", { classes: ["person"], severity: "critical", replaces: "watch_1" }]],
    },
    {
      say: [PERSON, "pause the person one"],
      app: { running: [count] },
      does: made(1),
      says: /^I cannot pause a watch/,
    },
    { say: "pause the person one", app: { running: [count] }, does: [], says: /^I am not sure which one/ },
    { say: [PERSON, "mute the dog one for an hour"], does: made(1), says: /No such watch/ },
  ],
  "one thing after another": [
    {
      say: "tell me when a person crosses street left to right and then a car within 10 seconds",
      does: [
        [
          "create_watch",
          {
            cameras: ["street"],
            classes: ["person"],
            condition: {
              kind: "sequence",
              within_seconds: 10,
              steps: [
                { when: { kind: "crosses_line", direction: "in" } },
                { when: { kind: "crosses_line", direction: "in", what: { classes: ["car"] } } },
              ],
            },
          },
        ],
      ],
      says: /a person crosses .*, then within 10 seconds a car crosses /,
    },
    {
      say: "tell me when a person appears on yard and then a car appears on dock within 30 seconds",
      does: [
        [
          "create_watch",
          {
            cameras: ["yard"],
            condition: {
              kind: "sequence",
              within_seconds: 30,
              steps: [
                { when: { kind: "appears" } },
                { camera: "dock", when: { kind: "appears", what: { classes: ["car"] } } },
              ],
            },
          },
        ],
      ],
    },
    {
      say: "tell me when a person appears on yard then leaves within 10 s",
      does: [
        [
          "create_watch",
          { condition: { within_seconds: 10, steps: [{ when: { kind: "appears" } }, { when: { kind: "leaves" } }] } },
        ],
      ],
    },
    {
      say: ["tell me when a person appears on yard and then a car appears on dock", "within a minute"],
      does: [["create_watch", { condition: { kind: "sequence", within_seconds: 60 } }]],
    },
    {
      say: "tell me when a person appears on yard and then a unicorn within 5 seconds",
      does: [],
      says: /^No detector here finds "unicorn"/,
    },
    {
      say: [PERSON, DOG, "tell me when a car appears on dock and then stop everything"],
      does: made(3),
      says: /Should I remove/,
    },
    { say: "if a person appears on yard, then tell me", does: [["create_watch", { when: "appears" }]] },
  ],
  "a number of them, no more and no fewer": [
    {
      say: "tell me when exactly 3 people are on yard",
      does: [
        [
          "create_watch",
          {
            condition: {
              kind: "all",
              of: [
                { kind: "count", at_least: 3 },
                { kind: "count", at_most: 3 },
              ],
            },
          },
        ],
      ],
      says: /there are exactly 3 people/,
    },
    {
      say: ["tell me when exactly 3 people are on yard", "only at night"],
      does: [...made(1), ["create_watch", { active_from: "22:00", condition: { kind: "all" } }]],
    },
    {
      say: ["tell me when exactly 3 people are on yard", "make it at least 4"],
      does: [...made(1), ["create_watch", { when: "count", at_least: 4 }]],
    },
    {
      say: ["tell me when more than 3 people are on yard", "make it exactly 5"],
      does: [...made(1), ["create_watch", { condition: { kind: "all", of: [{ at_least: 5 }, { at_most: 5 }] } }]],
    },
  ],
  "days that are left out": [
    {
      say: ["tell me when a person appears on yard on weekdays", "not on mondays"],
      does: [...made(1), ["create_watch", { days: ["tue", "wed", "thu", "fri"] }]],
    },
    {
      say: ["tell me when a person appears on yard at weekends", "also on fridays"],
      does: [...made(1), ["create_watch", { days: ["sat", "sun", "fri"] }]],
    },
    {
      say: [PERSON, "not on mondays"],
      does: [...made(1), ["create_watch", { days: ["tue", "wed", "thu", "fri", "sat", "sun"] }]],
    },
    {
      say: ["tell me when a person appears on yard at weekends", "not on saturdays and sundays"],
      does: made(1),
      says: /^No day would be left/,
    },
  ],
  "everything but one": [
    {
      say: [PERSON, DOG, CAR, "stop everything except the car one"],
      app: { running: [count] },
      does: made(3),
      says: /^Should I stop watch_1 .*watch_2 .* and street-count\?$/,
    },
    {
      say: [PERSON, DOG, CAR, "stop watching everything except the yard person one", "yes"],
      app: { running: [count] },
      does: [
        ...made(3),
        ["remove_watch", { watch_id: "watch_2" }],
        ["remove_watch", { watch_id: "watch_3" }],
        ["stop_pipeline", { pipeline_id: "pl_1" }],
      ],
      says: /^Removed watch_2 .* and watch_3 .*Stopped street-count/,
    },
    {
      say: [PERSON, CAR, "stop everything except yard"],
      does: [...made(2), ["remove_watch", { watch_id: "watch_2" }]],
    },
  ],
  "quiet that begins later is refused": [
    { say: [CAR, "every night at 11 mute everything until 7"], does: made(1), says: /^I can only mute .* from now on/ },
    { say: [CAR, "in 5 minutes mute the car one"], does: made(1), says: /^I can only mute/ },
    { say: [CAR, DOG, "mute the dog one at 7pm for an hour"], does: made(2), says: /^I can only mute/ },
    { say: [CAR, "mute it from 8pm until 10pm"], does: made(1), says: /^I can only mute/ },
    { say: [CAR, "mute it until tomorrow at 8"], does: [...made(1), ["mute_watch", {}]] },
    { say: [CAR, "mute it until 7pm"], does: [...made(1), ["mute_watch", { until: "2026-03-10T19:00:00.000Z" }]] },
  ],
  "the mode changes at a time of day": [
    {
      say: "every evening at 10 switch to night mode",
      does: [["set_mode", { schedule: [{ mode: "night", at: "22:00" }] }]],
    },
    {
      say: ["every evening at 10 switch to night mode", "set it to home at 8 every day"],
      does: [
        ["set_mode", {}],
        [
          "set_mode",
          {
            schedule: [
              { mode: "night", at: "22:00" },
              { mode: "home", at: "08:00" },
            ],
          },
        ],
      ],
    },
    {
      say: "every weekday at 9 switch to away mode",
      does: [["set_mode", { schedule: [{ mode: "away", at: "09:00", days: ["mon", "tue", "wed", "thu", "fri"] }] }]],
    },
    { say: "every day at 9 switch to party mode", does: [], says: /^There is no mode "party"/ },
    {
      say: "at 9pm set the mode to night",
      does: [["schedule_task", { instructions: "set the mode to night", tools: ["set_mode"] }]],
    },
  ],
  "one thing in the place of another": [
    { say: [CAR, "make it a truck instead of a car"], does: [...made(1), ["create_watch", { classes: ["truck"] }]] },
    {
      say: ["tell me when a person is near a car on dock", "make it a truck instead of a car"],
      does: [...made(1), ["create_watch", { classes: ["person"], other: ["truck"] }]],
    },
    {
      say: ["tell me when a person and a dog are on yard at the same time", "make it a cat instead of a dog"],
      does: [...made(1), ["create_watch", { classes: ["person"], other: ["cat"] }]],
    },
    {
      say: [THEN, "make it a truck instead of a car"],
      does: [
        ...made(1),
        [
          "create_watch",
          {
            classes: ["person"],
            condition: { steps: [{ when: { kind: "appears" } }, { when: { what: { classes: ["truck"] } } }] },
          },
        ],
      ],
    },
    { say: [PERSON, DOG, "make it a truck instead of a car"], does: made(2), says: /^Which one shall I change/ },
  ],
  "a length of time is what the watch has one for": [
    {
      say: [THEN, "make it 20 seconds"],
      does: [
        ...made(1),
        ["create_watch", { condition: { within_seconds: 20, steps: [{ when: { kind: "appears" } }, {}] } }],
      ],
    },
    {
      say: ["tell me when a car appears on dock until 6am", "make it 4 hours"],
      does: made(1),
      says: /Should I change it and tell you when a car stays/,
    },
    {
      say: [CAR, "make it every 10 minutes"],
      does: [...made(1), ["create_watch", { when: "appears", cooldown_seconds: 600 }]],
    },
  ],
  "which one is meant": [
    {
      say: [CAR, DOG, "mute the car one for an hour", "make it only at night"],
      does: [...made(2), ["mute_watch", { watch_id: "watch_1" }], ["create_watch", { replaces: "watch_1" }]],
    },
    {
      say: [PERSON, DOG, "mute everything except the dog one for an hour"],
      does: [...made(2), ["mute_watch", { watch_id: "watch_1" }]],
    },
    {
      say: [PERSON, CAR, "sorry, I meant the street one"],
      does: [...made(2), ["create_watch", { cameras: ["street"], classes: ["car"], replaces: "watch_2" }]],
    },
    { say: [PERSON, "no, cars"], does: [...made(1), ["create_watch", { classes: ["car"], when: "appears" }]] },
    { say: [PERSON, CAR, "remove the dock one"], does: [...made(2), ["remove_watch", { watch_id: "watch_2" }]] },
    {
      say: [PERSON, CAR, "mute the car watch for an hour", "mute the other one for 2 hours"],
      does: [
        ...made(2),
        ["mute_watch", { watch_id: "watch_2" }],
        ["mute_watch", { watch_id: "watch_1", until: "2026-03-10T17:30:00.000Z" }],
      ],
    },
    {
      say: [PERSON, CAR, "mute the person watch for an hour", "remove the other one"],
      does: [...made(2), ["mute_watch", { watch_id: "watch_1" }], ["remove_watch", { watch_id: "watch_2" }]],
    },
    {
      say: [PERSON, CAR, "make the other one urgent"],
      does: [...made(2), ["create_watch", { classes: ["person"], severity: "critical", replaces: "watch_1" }]],
    },
    { say: [PERSON, DOG, CAR, "remove the other one"], does: made(3), says: /which one/i },
    {
      say: [
        "tell me when a dog appears on dock",
        "tell me when a dog and a person are on dock at the same time",
        PERSON,
        "mute the dog and person together one for an hour",
      ],
      does: [...made(3), ["mute_watch", { watch_id: "watch_2" }]],
    },
    {
      say: [
        "tell me when a dog appears on dock",
        "tell me when a dog and a person are on dock at the same time",
        PERSON,
        "remove the dog and person together one",
      ],
      does: [...made(3), ["remove_watch", { watch_id: "watch_2" }]],
    },
  ],
  "the last change is taken back": [
    { say: [PERSON, "mute it for 2 hours", "no, cancel that"], does: [...made(1), ["mute_watch", {}], ["undo", {}]] },
    { say: [PERSON, "only at night", "no, cancel that"], does: [...made(2), ["undo", {}]] },
    { say: [PERSON, "cancel that"], does: [...made(1), ["remove_watch", { watch_id: "watch_1" }]] },
    {
      say: [PERSON, CAR, "mute it for 2 hours", "turn the alerts back on for dock"],
      does: [...made(2), ["mute_watch", {}], ["mute_watch", { watch_id: "watch_2", minutes: 0 }]],
    },
  ],
  "places get a name": [
    {
      say: ["call the left half of the yard the driveway", "tell me when a car enters the driveway"],
      does: [
        ["save_place", { camera: "yard", name: "driveway" }],
        ["create_watch", { cameras: ["yard"], when: "enters_zone", zone: "driveway" }],
      ],
    },
    {
      say: ["the driveway is the lower half of street", "the driveway is the right third of street"],
      does: [
        ["save_place", { camera: "street", name: "driveway" }],
        ["save_place", { camera: "street", name: "driveway" }],
      ],
    },
    {
      say: ["call the left half the parking lot", "yard"],
      does: [["save_place", { camera: "yard", name: "parking lot" }]],
    },
    {
      say: ["call the horizontal line in the middle of street the kerb", "tell me when a car crosses the kerb"],
      does: [
        ["save_place", { camera: "street", name: "kerb" }],
        ["create_watch", { when: "crosses_line", line: "kerb" }],
      ],
    },
    { say: "is the driveway the left half of yard?", does: [] },
    { say: "the driveway of my neighbour is the left half of yard", does: [] },
    { say: "call the roof of the yard the driveway", does: [] },
  ],
  "told again while it lasts": [
    {
      say: [STAYS, "remind me every 5 min while it lasts"],
      does: [...made(1), ["create_watch", { seconds: 60, again_seconds: 300, replaces: "watch_1" }]],
    },
    {
      say: [PERSON, "remind me every 5 min while it lasts", "yes"],
      does: [...made(1), ["create_watch", { when: "count", at_least: 1, again_seconds: 300, replaces: "watch_1" }]],
    },
    {
      say: "tell me when a person stays on yard for 2 minutes, remind me every 5 min while it lasts",
      does: [["create_watch", { seconds: 120, again_seconds: 300 }]],
    },
  ],
});
