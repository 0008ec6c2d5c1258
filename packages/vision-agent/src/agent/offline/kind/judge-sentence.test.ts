import { describe, expect, it } from "vitest";
import { testWordings } from "../../../testing/play-wordings.ts";
import { type Example, examples, exampleWords, likeliest, trainClassifier } from "./classify-sentence.ts";
import { judgeSentence } from "./judge-sentence.ts";
import type { SentenceKind } from "./kinds.data.ts";

const FOLDS = 5;
const CHANGING: readonly SentenceKind[] = ["wish", "change", "stop", "remember", "schedule", "camera"];

/** Every example judged by a classifier that has not seen it. */
function judgeUnseen(): readonly (Example & { readonly judged: SentenceKind; readonly changing: number })[] {
  const all = examples();
  return Array.from({ length: FOLDS }, (_, fold) => fold).flatMap((fold) => {
    const classify = trainClassifier(all.filter((_, at) => at % FOLDS !== fold));
    return all
      .filter((_, at) => at % FOLDS === fold)
      .map((example) => {
        const scores = classify(example.text, exampleWords(example.text));
        return {
          ...example,
          judged: likeliest(scores),
          changing: CHANGING.reduce((sum, kind) => sum + scores[kind], 0),
        };
      });
  });
}

describe("what kind a sentence is", () => {
  it("is known of most sentences that were never seen, and few that change nothing look as if they did", () => {
    const unseen = judgeUnseen();
    const right = unseen.filter(({ kind, judged }) => kind === judged).length / unseen.length;
    const still = unseen.filter(({ kind }) => !CHANGING.includes(kind));
    const alarming = still.filter(({ changing }) => changing >= 0.5).length / still.length;
    expect(right).toBeGreaterThan(0.72);
    expect(alarming).toBeLessThan(0.16);
  }, 120_000);

  it("is a question by its form alone", () => {
    const asks = (text: string): boolean => judgeSentence(text, []).asks;
    for (const text of [
      "which setting is the daily spending cap?",
      "should I add another camera?",
      "is it enough to say stop everything",
      "would stopping the dock also remove the watch?",
    ])
      expect(asks(text), text).toBe(true);
    for (const text of ["can you count the cars?", "tell me when a car comes", "No dog for an hour? Then tell me."])
      expect(asks(text), text).toBe(false);
  });
});

const MADE = "Tell me when a person appears on yard";
const nothing = (sentences: readonly string[], says?: RegExp) =>
  sentences.map((say) => ({
    say: [MADE, say],
    does: [["create_watch", { cameras: ["yard"] }]] as const,
    ...(says && { says }),
  }));

testWordings({
  "asking for quiet about what nobody watches, or later, changes nothing": nothing([
    "I don't wanna hear a word about cars this weekend",
    "nothing about the dock before Wednesday, please",
    "no word about the yard this weekend",
  ]),
  "taking back changes nothing": nothing(["go back to how it was before", "put the old hours back"], /Should I undo/),
  "a trial changes nothing": nothing(
    ["fire a trial alert for the dock", "send a fake alert to my phone", "let it ring once for testing"],
    /Should I send you a test|Which watch do you mean/,
  ),
  "a question changes nothing, whatever words it holds": nothing([
    "which setting is the daily spending cap?",
    "is it enough to say stop everything?",
    "would stopping the dock also remove the watch?",
    "if I pause the yard, do I still get alerts?",
    'is "at most once an hour" still active for the yard?',
    "what would it take to count trucks on the dock?",
    "are you already watching the dock for trucks?",
    "remember when we counted cars?",
  ]),
  "a remark changes nothing": nothing([
    "I saw a person on the yard yesterday, weird",
    "my dog hates the yard",
    "nobody ever tells me anything",
    "it would be silly to count cars on the dock",
    "please do not remove anything",
    "I was going to pause the dock but decided against it",
    "stop the alerts if it rains",
    "the yard watch should be louder",
  ]),
  "one thing with another is no watch for either": nothing([
    "alert me if there is a car while a person is on the dock",
    "warn me if a child is on the yard with no adult",
    "tell me when somebody is on the dock and on the street simultaneously",
  ]),
  "what makes less of a thing is asked about": nothing([
    "warn me about tall people on the yard",
    "tell me when nobody who works here is on the dock",
    "tell me when a person is on the top step of the yard",
  ]),
  "other languages get one honest sentence": nothing(
    [
      "Sag mir Bescheid, wenn jemand im Hof ist",
      "Préviens-moi quand une voiture arrive",
      "stopp alles bitte",
      "Que vois-tu ?",
    ],
    /^I read English only/,
  ),
  "a doubtful sentence is done after a yes": [
    {
      say: ["warn me about tall people on the yard", "yes"],
      does: [["create_watch", { cameras: ["yard"], classes: ["person"] }]],
    },
  ],
  "a camera is added in other words": [
    ["my attic camera lives at rtsp://10.0.0.8/live", "attic"],
    ["the shed has a camera now, rtsp://cam.local/shed", "shed"],
    ["hook up my garage cam: rtsp://10.0.0.9/stream, name garage", "garage"],
  ].map(([say = "", name]) => ({ say, does: [["save_camera", { name }]] as const })),
  "the app is asked about itself": [
    {
      say: "is the dock camera working?",
      does: [],
      asks: [["capture_frame", { camera: "dock" }]],
      says: /dock gives pictures/,
    },
    { say: "how much did this cost today?", does: [], says: /cost/ },
    { say: "did my last alert go through?", does: [], says: /^No alerts/ },
  ],
  "a span over noon stays in the afternoon": [
    {
      say: "tell me when someone is on the dock between 10 and 2",
      does: [["create_watch", { active_from: "10:00", active_to: "14:00" }]],
    },
    {
      say: "how many people came to the yard between 10 and 2?",
      does: [],
      asks: [["search_events", { from: "2026-03-10T10:00:00.000Z", to: "2026-03-10T14:00:00.000Z" }]],
    },
  ],
});

testWordings({
  "a wish of which a word was not used asks first, and names it": [
    { say: "Warn me about tall people on the yard", does: [], says: /"tall"/ },
    { say: "Warn me about any truck on dock unless Anna stands there", does: [], says: /"unless".*Should I/ },
    { say: "Tell me when a dog is on yard without a person", does: [], says: /"without"/ },
    { say: "Let me know when something weird goes on at the yard", does: [], says: /"weird"/ },
    { say: "From 18:15 onwards, person, dock, tell me, door code 4711", does: [], says: /Should I/ },
    { say: "How about we pretend: tell me when a cat appears on yard", does: [] },
    {
      say: ["Warn me about any truck on dock unless Anna stands there", "Yes"],
      does: [["create_watch", { cameras: ["dock"], classes: ["truck"] }]],
    },
  ],
  "what is told beside a wish is named, and what was understood is asked about": (
    [
      [
        "The dog is in the yard all day. If you can't spot him for 40 minutes, then he ran off, so let me know.",
        /"ran".*no dog has been seen for 40 minutes on yard\?/,
      ],
      ["Tell me when a cat or dog comes to yard, the dog is always there, leave him out.", /a cat or a dog appears/],
      ["Kids keep climbing in there. If someone is in the yard for 3 minutes, remind me.", /"climbing".*3 minutes/],
      ["Let me know when the cow kicks the bucket on yard", /"kicks".*a cow appears/],
      ["Watch the yard for squirrels or cats", /"squirrels".*a cat appears/],
      ["count buses and tricycles on street", /"tricycles".*Should I/],
      ["Notify me of a person with a horse on yard", /Should I/],
      [
        "Parking on street is limited to 30 minutes. If a car stays longer, tell me.",
        /"limited".*longer than 30 minutes/,
      ],
      ["Tell me if nobody shows up on dock by 10 am.", /^How long should it be/],
      ["Let me know if the truck isn't on dock by 9:30.", /^How long should it be/],
      ["Tell me if a person stays for -5 seconds on yard", /Should I/],
      ["Tell me when a person appears on yard between 8 and 8", /Should I/],
      ["There's a bench in the right half of the yard. Let me know when somebody sits there.", /I could not use/],
    ] as const
  ).map(([say, says]) => ({ say, does: [], says })),
  "a question says what of it was not known": [
    { say: "Is there a bird or a lizard on the yard?", does: [], says: /No birds.*I do not know "lizard"/s },
    { say: "How many people are on the dock right now?", does: [], saysNot: /I do not know/ },
  ],
  "what no watch keeps is asked about": [
    "Call 911 when a person appears on the dock at night",
    "Tell me when a person appears on dock at 3 o'clock",
    "Tell me when a second car appears on yard",
    "Tell me once when a car appears on yard",
    "Tell me when a person walks from the dock to the yard",
    "Tell me when a car leaves yard to the right",
    "Tell me when a car drives in from the left on yard",
    "Tell me when a person is on the dock but the car is not",
    "When a person appears on the dock, count the packages",
    "ping me when a car is on the yard but theres nobody with it",
    "Tell me when there are too many people at the dock",
  ].map((say) => ({ say, does: [], says: /Should I/ })),
  "what is asked is not done": [
    "Should you tell me when a person is on the dock at night?",
    "Should I pause the dock watch?",
    "How do I stop the count?",
  ].map((say) => ({ say, does: [] })),
  "a change is of the watch that it names, else it asks which": (
    [
      ["the dock one only at night", { cameras: ["dock"], classes: ["person"], active_from: "22:00" }],
      ["people only at night", { cameras: ["dock"], classes: ["person"], active_from: "22:00" }],
      ["make the person watch only at night", { cameras: ["dock"], classes: ["person"], active_from: "22:00" }],
      ["less alerts from the dock", { cameras: ["dock"], classes: ["person"], cooldown_seconds: 300 }],
      ["change the dock to cats", { cameras: ["dock"], classes: ["cat"], replaces: "watch_1" }],
      ["also at the street", { cameras: ["yard", "street"], classes: ["car"], replaces: "watch_2" }],
      ["same for dogs", { cameras: ["yard"], classes: ["car", "dog"] }],
      ["I only want people at night, cars always", undefined],
      ["no, only the dock one", undefined],
      ["well, yes but only in the morning", undefined],
      ["the dog watch should be critical", undefined],
    ] as const
  ).map(([change, args]) => ({
    say: ["Tell me when a person appears on dock", "Tell me when a car appears on yard", change],
    does: [
      ["create_watch", {}],
      ["create_watch", {}],
      ...(args === undefined ? [] : [["create_watch", args] as const]),
    ] as const,
  })),
  "what was heard is used": [
    {
      say: "Tell me when a person appears on dock after 11pm or before 5am",
      does: [["create_watch", { active_from: "23:00", active_to: "05:00" }]],
    },
    {
      say: "Add a camera called gate at sim://street and tell me when a person appears there",
      does: [
        ["save_camera", { name: "gate" }],
        ["create_watch", { cameras: ["gate"] }],
      ],
    },
    { say: "remind me at 5 to close the shop", does: [["schedule_task", { at: "2026-03-10T17:00:00.000Z" }]] },
    { say: "is nobody on the dock?", does: [], says: /^3 people on dock at this moment/ },
    { say: "are there more people than cars on dock?", does: [], says: /^3 people and 1 car/ },
    {
      say: "how many people went from left to right on dock today?",
      does: [],
      asks: [["search_events", { kind: "line_crossed", direction: "in" }]],
    },
    {
      say: "Tell me when a car comes in and count the people on the yard",
      does: [["start_pipeline", {}]],
      saysNot: /changed/,
    },
  ],
  "a yes does what the question said": [
    {
      say: ["Tell me when a person appears on dock", "make the person watch only on weekends at night", "yes"],
      does: [
        ["create_watch", {}],
        ["create_watch", { active_from: "22:00", replaces: "watch_1" }],
      ],
    },
    {
      say: ["Tell me when a person appears on dock", "set the dock watch to when both a person and a dog are there"],
      does: [
        ["create_watch", {}],
        ["create_watch", { when: "together", other: ["dog"] }],
      ],
    },
  ],
  "a question that waits takes only an answer": [
    { say: ["Tell me when a car comes", "sorry, forget it, the dock is fine"], does: [] },
    { say: ["Tell me when a cat comes", "I don't have a cat at the dock"], does: [] },
    { say: ["Tell me when a car comes", "Change the nobody one to 30 minutes"], does: [] },
    {
      say: ["Warn me about tall people on the yard", "also at the dock", "yes"],
      does: [["create_watch", { cameras: ["yard", "dock"], classes: ["person"] }]],
    },
    { say: ["Warn me about tall people on the yard", "you are wrong", "yes"], does: [] },
  ],
  "a wish that names its own things does not answer the question before it": [
    {
      say: ["Tell me when a person appears on garden", "Tell me when a cat appears on yard"],
      does: [["create_watch", { cameras: ["yard"], classes: ["cat"] }]],
    },
    {
      say: ["Tell me when a person appears on garden", "Tell me when a cat appears"],
      does: [],
      says: /^Which camera do you mean/,
    },
    {
      say: ["Tell me when a person appears on garden", "yard"],
      does: [["create_watch", { cameras: ["yard"], classes: ["person"] }]],
    },
  ],
  "what is there is not changed by accident": [
    {
      say: ["Tell me when a dog appears on yard", "For the next two hours no message about the yard"],
      does: [
        ["create_watch", {}],
        ["mute_watch", {}],
      ],
    },
    { say: "Replaced the broken dock camera today. It's on rtsp://10.0.4.77/b now, same name, same mast.", does: [] },
    {
      say: "Add a camera called ../../etc at sim://street",
      does: [],
      says: /^What should the camera be called\?/,
    },
    { say: "I put up another camera, same model, same wall, at rtsp://10.0.0.9/a", does: [] },
    {
      say: "Add a camera called street at sim://warehouse",
      does: [["save_camera", { name: "street" }]],
      says: /^There is a camera called street already\. Should I change its address to sim:\/\/warehouse\?$/,
    },
    {
      say: ["Add a camera called street at sim://warehouse", "yes"],
      does: [
        ["save_camera", { name: "street" }],
        ["save_camera", { name: "street", source: "sim://warehouse", replace: true }],
      ],
    },
    { say: ["Tell me when a dog appears on yard", "exit"], does: [["create_watch", {}]] },
    { say: ["Tell me when a dog appears on yard", "quit"], does: [["create_watch", {}]] },
  ],
});
