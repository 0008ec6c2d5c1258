// questions about now, the past, what is set up and the app itself → looks, searches and lists
import type { SceneEvent, ToolDataOf, WatchReport } from "@vision-agent/protocol";
import { createLocalTime } from "../../../memory/local-time.ts";
import { NO_PIPELINES } from "../../../tools/pipeline-tools.ts";
import {
  counted,
  eventInWords,
  failure,
  firstLines,
  KEY,
  momentInWords,
  noneOf,
  resultsInWords,
  sightingInWords,
  totalsInWords,
  watchInWords,
} from "../answers/findings.ts";
import { noteInWords } from "../answers/fitting-notes.ts";
import { happening, slotsOfWatch } from "../answers/watch-words.ts";
import type { Act, Clause, Known, Listable, Slots } from "../intent.ts";
import { lately, type Period, today, type WallClock } from "../slots/find-period.ts";
import { countOf, joinWords } from "../words/class-words.ts";
import { chooseCameras } from "./choose.ts";
import { resultsCall } from "./pipelines.ts";
import {
  type App,
  ask,
  callOne,
  dataOf,
  type Plan,
  type PlannedCall,
  type Steps,
  say,
  type ToolAnswer,
} from "./plan.ts";

export function* planLook({ slots, act }: Clause, { known }: App): Plan {
  const chosen = chooseCameras(slots, known);
  if ("question" in chosen) return chosen.question;
  const { classes, thing } = slots;
  if (thing !== undefined && classes.length === 0) return yield* findThing(thing, chosen.cameras[0] ?? "");
  const answers = yield chosen.cameras.map((camera) => ({ tool: "capture_frame", args: { camera } }));
  const howMany = act.kind === "look" && act.howMany;
  const seen = answers.map((answer) => {
    const look = dataOf(answer, "capture_frame");
    return look === undefined
      ? failure("I could not look", answer).text
      : sightingInWords(look.seen, { classes, howMany });
  });
  return say([...seen, ...unseen(slots)].join("\n"));
}

/** What was asked beside, and no look can tell. */
function unseen({ thing, deed, zone }: Clause["slots"]): readonly string[] {
  return [
    ...(zone === undefined ? [] : [`That is of the whole picture: one look does not tell ${zone.name} apart.`]),
    ...(thing === undefined ? [] : [`I do not know the class "${thing}", and no detector here finds it.`]),
    ...(deed === undefined
      ? []
      : [
          `Whether somebody or something is "${deed.words}" I cannot tell: I see what is there, not what it does. ${KEY}`,
        ]),
  ];
}

/** A thing that the detector has no class for is looked for by its name, where a model for that can be had. */
function* findThing(thing: string, image: string): Plan {
  const answer = yield* callOne("detect_zero_shot", { image, class_names: [thing] });
  const found = dataOf(answer, "detect_zero_shot");
  return say(
    found === undefined ? `I could not look for "${thing}": ${answer.text} ${KEY}` : `${foundInWords(found)} ${KEY}`,
  );
}

function foundInWords({ subject, seen, guess, not_looked_for, reason = "" }: ToolDataOf<"detect_zero_shot">): string {
  const guessed =
    guess && (guess.words ?? joinWords(guess.counts.map(({ class_name, count }) => `${count} ${class_name}`)));
  const left = not_looked_for.length > 0 ? `Nobody here can look for ${joinWords(not_looked_for, "or")}.` : "";
  const words = [
    seen === undefined ? "" : sightingInWords(seen),
    guess === undefined ? "" : `${guess.by} guesses on ${subject}: ${guessed || "nothing"}.`,
    left,
    reason,
  ];
  return words.filter((part) => part !== "").join(" ");
}

export function* planImage({ slots, words }: Clause, { images, known }: App): Plan {
  const file = slots.cameras.find((name) => !known.cameras.some((camera) => camera.name === name));
  const image = file ?? images[0];
  if (image === undefined) return ask("There is no picture with your message. Attach one, or name a file or a camera.");
  const wanted = [...slots.classes, ...(slots.thing === undefined ? [] : [slots.thing])];
  const answer =
    wanted.length > 0
      ? yield* callOne("detect_zero_shot", { image, class_names: wanted })
      : yield* callOne("ask_about_image", { image, question: words });
  const found = dataOf(answer, "detect_zero_shot");
  if (wanted.length > 0 && found !== undefined) return say(`${foundInWords(found)} ${KEY}`);
  const told = dataOf(answer, "ask_about_image");
  if (wanted.length > 0 || told === undefined) return failure("I could not look at the picture", answer);
  if (told.kind === "answered") return say(`${told.answer} (Answered by ${told.answered_by}.) ${KEY}`);
  const seen = sightingInWords(told.seen);
  const limits = "No model here can answer questions about pictures: I only find names and places of things.";
  return say(`${seen} ${limits} What is missing: ${told.missing.join(" ")}`);
}

export function* planTotals(clause: Clause, app: App): Plan {
  const { slots, bare } = clause;
  const { known } = app;
  if (slots.unknownCamera !== undefined) {
    const asked = chooseCameras(slots, known);
    if ("question" in asked) return asked.question;
  }
  const named = known.pipelines.filter(({ name }) => ` ${bare} `.includes(` ${name.toLowerCase()} `));
  const counting = known.pipelines.filter(
    ({ counts, camera }) => counts && (slots.cameras.length === 0 || slots.cameras.includes(camera)),
  );
  const chosen = named.length > 0 ? named : counting;
  if (chosen.length > 0) {
    const answers = yield chosen.map(({ name }) => resultsCall(name));
    const lines = answers.map((answer) => {
      const results = dataOf(answer, "get_pipeline_results");
      return results === undefined ? answer.text : resultsInWords(results, slots.classes);
    });
    return say(lines.join("\n"));
  }
  // What a line counted before, or who was seen, is the nearest that is known.
  if (slots.cameras.length > 0 || slots.classes.length > 0) {
    const act = { kind: "past", asked: "count", eventKind: "line_crossed" } as const;
    const past = yield* planPast({ ...clause, act }, app);
    if (/^\d/.test(past.text)) return past;
  }
  const place = slots.cameras.length > 0 ? ` on ${joinWords(slots.cameras)}` : "";
  return say(
    `Nothing counts${place} at the moment. Say "count people on ${slots.cameras[0] ?? known.cameras[0]?.name ?? "street"}" to begin.`,
  );
}

const TOLD = "condition_true";
const ALERTS_SHOWN = 10;

export function* planList(clause: Clause, app: App): Plan {
  const what: Listable = clause.act.kind === "list" ? clause.act.what : "pipelines";
  switch (what) {
    case "cameras":
      return say(
        clause.slots.unknownCamera === undefined
          ? camerasInWords(app.known)
          : `No camera is called "${clause.slots.unknownCamera}". ${camerasInWords(app.known)}`,
      );
    case "tasks": {
      const answer = yield* callOne("list_tasks", {});
      return answer.ok ? say(answer.text) : failure("I could not find out", answer);
    }
    case "alerts":
      return yield* planAlerts(clause, app);
    case "watches":
      return yield* planWatches(clause);
    case "pipelines":
      return yield* planPipelines(clause);
  }
}

function camerasInWords({ cameras }: Known): string {
  const names = cameras.map(({ name }) => name);
  if (names.length === 0) return "No camera is set up yet. Add one to CAMERAS.md in the workspace.";
  return names.length === 1
    ? `There is one camera: ${names[0]}.`
    : `There are ${names.length} cameras: ${joinWords(names)}.`;
}

function* planPipelines({ slots }: Clause): Plan {
  const answer = yield* callOne("list_pipelines", {});
  const all = dataOf(answer, "list_pipelines")?.pipelines;
  if (all === undefined) return failure("I could not find out", answer);
  const running = all.filter(({ video_reference }) => isAsked(video_reference, slots));
  if (running.length === 0) return say(NO_PIPELINES);
  const lines = running.map(({ name, video_reference, status }) => `- ${name} on ${video_reference}: ${status}`);
  return say([`${counted(running.length, "pipeline")}:`, ...lines].join("\n"));
}

function* planWatches({ slots }: Clause): Plan {
  const answer = yield* callOne("list_watches", {});
  const all = dataOf(answer, "list_watches")?.watches;
  if (all === undefined) return failure("I could not find out", answer);
  const watches = all.filter(({ cameras }) => cameras.some((camera) => isAsked(camera, slots)));
  if (watches.length === 0) return say('Nothing is watched. "What is running?" lists the pipelines.');
  return say([`${counted(watches.length, "watch", "watches")}:`, ...watches.map(watchLine)].join("\n"));
}

function isAsked(camera: string, { cameras }: Slots): boolean {
  return cameras.length === 0 || cameras.includes(camera);
}

function watchLine(watch: WatchReport): string {
  return watchInWords(watch, happening(slotsOfWatch(watch)));
}

function* planAlerts({ slots }: Clause, { clock }: App): Plan {
  const period = slots.period ?? { ...today(clock), from: "1970-01-01T00:00:00.000Z", words: "so far" };
  const [camera] = slots.cameras;
  const answer = yield* callOne("search_events", {
    kind: TOLD,
    from: period.from,
    to: period.to,
    max_results: ALERTS_SHOWN,
    ...(camera !== undefined && { camera }),
  });
  const events = dataOf(answer, "search_events")?.events;
  if (events === undefined) return failure("I could not find out", answer);
  if (events.length === 0) return say(`No watch has come true ${period.words}.`);
  return say(
    [`What watches told of ${period.words}, newest first:`, ...events.map((event) => eventInWords(event, clock))].join(
      "\n",
    ),
  );
}

/** Why somebody was told, or was not: the watches there are, and when each came true. */
export function* planWhy({ slots, bare }: Clause, { clock }: App): Plan {
  const period = slots.period ?? lately(clock);
  const [camera] = slots.cameras;
  const [list, told] = yield [
    { tool: "list_watches", args: {} },
    {
      tool: "search_events",
      args: { kind: TOLD, from: period.from, to: period.to, max_results: 5, ...(camera !== undefined && { camera }) },
    },
  ];
  const all = dataOf(list, "list_watches")?.watches;
  if (all === undefined) return failure("I could not find out", list);
  const watches = all.filter(({ cameras }) => camera === undefined || cameras.includes(camera));
  if (watches.length === 0)
    return say(
      `Nothing is watched${camera === undefined ? "" : ` on ${camera}`}, so nobody was told by a watch. Say "tell me when a person appears" to begin.`,
    );
  const events = dataOf(told, "search_events")?.events ?? [];
  const rules = watches.map(watchLine);
  const isNot = /\b(?:not|n't|never|nothing|no)\b|n't\b/.test(bare);
  const head = isNot
    ? "You are told when one of these comes true, in its hours, and not again within its cooldown:"
    : "You were told because one of these came true:";
  const proof =
    events.length === 0
      ? `None came true ${period.words}.`
      : `Came true ${period.words}:\n${events.map((event) => eventInWords(event, clock)).join("\n")}`;
  return say([head, ...rules, proof].join("\n"));
}

const SHOWN = 8;
/** Events tell when something came and went; how long it was there, and where or when there was most, nobody works out. */
const UNMEASURED =
  "I cannot rank that: how long each one stayed is not recorded, and I do not compare hours or cameras. What I have:";
const LONG_AGO = "1970-01-01T00:00:00.000Z";

export function* planPast({ act, slots, words }: Clause, app: App): Plan {
  if (act.kind !== "past") return say("");
  const asked = askedFor(act, slots, app);
  if (slots.unknownCamera !== undefined) {
    const chosen = chooseCameras(slots, app.known);
    if ("question" in chosen) return chosen.question;
  }
  const searches = searchCalls(asked);
  const withMemory = act.asked === "list" || act.asked === "ranked";
  const answers = yield withMemory ? [...searches, recallCall(words, slots)] : searches;
  const found = yield* orSeen(answers.slice(0, searches.length), asked);
  const failed = found.find(({ ok }) => !ok);
  if (failed !== undefined) return failure("I could not search", failed);
  if (isUnknown(slots) && mergeTotals(found).all === 0) return say(unknownAnswer(slots.thing, asked));
  if (act.asked === "count") return say(countAnswer(found, asked, act));
  if (act.asked === "last" || act.asked === "first") return say(endAnswer(found, asked, app.clock));
  const unknown = act.asked === "ranked" ? UNMEASURED : "";
  return say(
    [unknown, listAnswer(found, asked, app.clock), memoryAnswer(answers.at(-1), asked, app)].filter(Boolean).join("\n"),
  );
}

/** Where no line counted, who came into view or left it is the nearest that is known; where nothing told of coming, a line may have. */
function* orSeen(found: readonly ToolAnswer[], asked: PastQuestion): Steps<readonly ToolAnswer[]> {
  const { direction, ...rest } = asked;
  const other = otherKind(asked);
  if (other === undefined || found.some(({ ok }) => !ok) || mergeTotals(found).all > 0) return found;
  return yield searchCalls({ ...rest, eventKind: other });
}

function otherKind({ direction, eventKind, slots }: PastQuestion): string | undefined {
  if (direction === "out") return "left";
  if (eventKind === "line_crossed") return "appeared";
  return eventKind === "appeared" && slots.classes.length > 0 ? "line_crossed" : undefined;
}

interface PastQuestion {
  readonly slots: Slots;
  readonly period: Period;
  readonly eventKind?: string;
  readonly direction?: "in" | "out";
  readonly most: number;
  /** The first of them is wanted, not the last. */
  readonly isFirst: boolean;
}

function askedFor(act: Extract<Act, { kind: "past" }>, slots: Slots, { clock }: App): PastQuestion {
  const whole = { ...today(clock), from: LONG_AGO, words: "so far" };
  const usual = act.asked === "last" ? whole : lately(clock);
  const isSeeing = act.asked === "list" && act.eventKind === "appeared" && slots.classes.length === 0;
  const kind = isSeeing ? undefined : act.eventKind;
  return {
    slots: isUnknown(slots) ? { ...slots, classes: [slots.thing] } : slots,
    period: slots.period ?? usual,
    most: act.asked === "last" || act.asked === "first" ? 1 : SHOWN,
    isFirst: act.asked === "first",
    ...(kind && { eventKind: kind }),
    ...(act.direction && { direction: act.direction }),
  };
}

/** A model of the person's own may have found what no detector here has a class for. */
function isUnknown(slots: Slots): slots is Slots & { readonly thing: string } {
  return slots.classes.length === 0 && slots.thing !== undefined;
}

/** The tool takes one camera and one class, so each pair is a search; all of them are made at once. */
function searchCalls({ slots, period, eventKind, direction, most, isFirst }: PastQuestion): readonly PlannedCall[] {
  const cameras = slots.cameras.length === 0 ? [undefined] : slots.cameras;
  const classes = slots.classes.length === 0 ? [undefined] : slots.classes;
  return cameras.flatMap((camera) =>
    classes.map((class_name) => ({
      tool: "search_events",
      args: {
        ...(camera !== undefined && { camera }),
        ...(class_name !== undefined && { class_name }),
        ...(eventKind !== undefined && { kind: eventKind }),
        ...(direction !== undefined && { direction }),
        from: period.from,
        to: period.to,
        max_results: most,
        ...(isFirst && { order: "oldest" }),
      },
    })),
  );
}

function recallCall(query: string, { cameras }: Slots): PlannedCall {
  const [camera] = cameras;
  return { tool: "recall", args: { query, max_results: 3, ...(camera !== undefined && { camera_id: camera }) } };
}

type EventsFound = ToolDataOf<"search_events">;

function eventsOf(answers: readonly ToolAnswer[]): readonly SceneEvent[] {
  return answers.flatMap((answer) => dataOf(answer, "search_events")?.events ?? []);
}

function mergeTotals(answers: readonly ToolAnswer[]): {
  readonly all: number;
  readonly cut: boolean;
  readonly kinds: EventsFound["totals"];
} {
  const found = answers.flatMap((answer) => dataOf(answer, "search_events") ?? []);
  return {
    all: found.reduce((sum, { total }) => sum + total, 0),
    cut: found.some(({ is_cut }) => is_cut),
    kinds: found.flatMap(({ totals }) => totals),
  };
}

function place({ cameras }: Slots): string {
  return cameras.length === 0 ? "" : ` on ${joinWords(cameras)}`;
}

function countAnswer(
  answers: readonly ToolAnswer[],
  { slots, period }: PastQuestion,
  act: Extract<Act, { kind: "past" }>,
): string {
  const totals = mergeTotals(answers);
  if (totals.all === 0)
    return `${capital(noneOf(slots.classes))} ${slots.classes.length === 0 ? "was recorded" : didOf(act)}${place(slots)} ${period.words}, as far as anything was watching.`;
  const figure = slots.classes.length === 1 ? countOf(totals.all, slots.classes[0] ?? "") : `${totals.all} in all`;
  const detail = totals.kinds.length > 1 ? ` (${totalsInWords(totals.kinds)})` : "";
  const most = totals.cut ? " At least: the log holds more than I can count." : "";
  const [kind] = totals.kinds;
  const did = act.direction === undefined && kind !== undefined ? didOf({ ...act, eventKind: kind.kind }) : didOf(act);
  return `${figure} ${did}${place(slots)} ${period.words}${detail}. One that leaves and comes back counts again.${most}`;
}

function didOf({ eventKind, direction }: Extract<Act, { kind: "past" }>): string {
  if (eventKind === "left") return "left";
  if (direction !== undefined) return direction === "in" ? "went in" : "went out";
  return eventKind === "line_crossed" ? "crossed a line" : "appeared";
}

function unknownAnswer(thing: string, { slots, period }: PastQuestion): string {
  return `I have no "${thing}" on record${place(slots)} ${period.words}: no detector here finds it, and no model of yours that ran told of one.`;
}

function endAnswer(answers: readonly ToolAnswer[], { slots, period, isFirst }: PastQuestion, clock: WallClock): string {
  const inOrder = eventsOf(answers).toSorted((a, b) => a.timestamp.localeCompare(b.timestamp));
  const event = isFirst ? inOrder[0] : inOrder.at(-1);
  if (event === undefined) return `I have ${noneOf(slots.classes)} on record${place(slots)} ${period.words}.`;
  return `The ${isFirst ? "first" : "last"} was at ${momentInWords(event.timestamp, clock)} on ${event.camera}: ${event.text}`;
}

function listAnswer(answers: readonly ToolAnswer[], { slots, period }: PastQuestion, clock: WallClock): string {
  const totals = mergeTotals(answers);
  if (totals.all === 0)
    return `I have ${noneOf(slots.classes)} on record${place(slots)} ${period.words}. Only what a pipeline or watch sees is recorded.`;
  const lines = eventsOf(answers)
    .toSorted((a, b) => b.timestamp.localeCompare(a.timestamp))
    .slice(0, SHOWN);
  const more = totals.all > lines.length ? [`… and ${totals.all - lines.length} more.`] : [];
  return [
    `${capital(period.words)}${place(slots)}: ${totalsInWords(totals.kinds)}.`,
    ...lines.map((event) => eventInWords(event, clock)),
    ...more,
  ].join("\n");
}

function memoryAnswer(answer: ToolAnswer | undefined, { period }: PastQuestion, { clock }: App): string {
  const local = createLocalTime(clock.timeZone);
  const shown = (moment: string): string => {
    const { day, time } = local(Date.parse(moment));
    return `${day} ${time}`;
  };
  // A note of an hour stands at its beginning.
  const [from, to] = [shown(period.from).replace(/:\d\d$/, ":00"), shown(period.to)];
  const notes = (dataOf(answer, "recall")?.passages ?? []).filter(({ day, time }) => {
    const at = day === undefined || time === undefined ? undefined : `${day} ${time}`;
    return at === undefined || (at >= from && at <= to);
  });
  return notes.length === 0 ? "" : `From memory:\n${firstLines(notes.map(noteInWords).join("\n"), 3)}`;
}

/** What was seen over a time, in figures, with the newest notes. */
export function* planSummary({ slots, words }: Clause, app: App): Plan {
  const period = slots.period ?? lately(app.clock);
  const asked: PastQuestion = { slots, period, most: SHOWN, isFirst: false };
  const searches = searchCalls(asked);
  const answers = yield [...searches, recallCall(words, slots)];
  const failed = answers.slice(0, searches.length).find(({ ok }) => !ok);
  if (failed !== undefined) return failure("I could not search", failed);
  const text = listAnswer(answers.slice(0, searches.length), asked, app.clock);
  return say(["Summary.", text, memoryAnswer(answers.at(-1), asked, app)].filter(Boolean).join("\n"));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** More cameras than this are not all opened for one question. */
const MOST_LOOKS = 6;

/** Whether cameras give pictures now, and which went down. */
export function* planHealth({ slots }: Clause, { known, clock }: App): Plan {
  if (slots.unknownCamera !== undefined && slots.cameras.length === 0)
    return say(`No camera is called "${slots.unknownCamera}".`);
  const named = slots.cameras.length > 0 ? slots.cameras : known.cameras.map(({ name }) => name);
  const cameras = named.slice(0, MOST_LOOKS);
  if (cameras.length === 0) return say("No camera is set up yet.");
  const period = slots.period ?? lately(clock);
  const answers = yield [
    { tool: "list_pipelines", args: {} },
    { tool: "search_events", args: { kind: "camera_down", from: period.from, to: period.to, max_results: 20 } },
    ...cameras.map((camera) => ({ tool: "capture_frame", args: { camera } })),
  ];
  const [running, down, ...looks] = answers;
  const pipelines = dataOf(running, "list_pipelines")?.pipelines ?? [];
  const lines = cameras.map((camera, at) => {
    const pipeline = pipelines.find(({ video_reference }) => video_reference === camera);
    const rate = pipeline === undefined ? "" : `, ${pipeline.status} at ${pipeline.fps.toFixed(1)} frames a second`;
    const look = looks[at];
    return look?.ok === true ? `${camera} gives pictures${rate}.` : `${camera} gives no picture: ${look?.text ?? ""}`;
  });
  const events = (dataOf(down, "search_events")?.events ?? []).filter(({ camera }) => cameras.includes(camera));
  const failed =
    events.length === 0
      ? `No camera went down ${period.words}.`
      : `Down ${period.words}: ${joinWords([...new Set(events.map(({ camera }) => camera))])}.`;
  const troubled = pipelines.filter(({ status }) => status === "failed" || status === "reconnecting");
  const trouble = troubled.map(({ name, status, reason = "" }) => `${name} is ${status}. ${reason}`.trim());
  return say([...lines, ...trouble, failed].join(" "));
}

/** What was paid to models. */
export function costInWords({ slots }: Clause, { known, clock }: App): string {
  if (known.usage === undefined) return "I have no record of costs here. I myself cost nothing.";
  const { days, limitMicroUsd } = known.usage;
  const period = slots.period ?? lately(clock);
  const inPeriod = days.filter(({ day }) => isIn(day, period));
  const cost = inPeriod.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0);
  const calls = inPeriod.reduce((sum, day) => sum + day.calls, 0);
  const tokens = inPeriod.reduce((sum, day) => sum + day.inputTokens + day.outputTokens, 0);
  return `Models cost ${dollars(cost)} ${period.words}: ${calls} calls, ${tokens} tokens. The daily limit is ${dollars(limitMicroUsd)}, set by llm.cost_limit_daily in config.yaml. I, the offline interpreter, cost nothing.`;
}

function isIn(day: string, { from, to }: Period): boolean {
  return day >= from.slice(0, 10) && day <= to.slice(0, 10);
}

function dollars(microUsd: number): string {
  return `${(microUsd / 1e6).toFixed(2)} USD`;
}

/** Whether the last alerts got through. */
export function deliveryInWords({ slots }: Clause, { known }: App): string {
  const asked = (known.alerts ?? []).filter(
    ({ camera, timestamp }) =>
      (slots.cameras.length === 0 || slots.cameras.includes(camera)) &&
      (slots.period === undefined || (timestamp >= slots.period.from && timestamp < slots.period.to)),
  );
  const [last] = asked;
  const where = slots.cameras.length === 0 ? "" : ` about ${joinWords(slots.cameras)}`;
  if (last === undefined)
    return `No alerts${where} ${slots.period?.words ?? "so far"}, so there was nothing to deliver.`;
  const failed = asked.filter(({ failures }) => failures.length > 0);
  const reasons = last.failures.map(({ channel, reason }) => `${channel} (${reason})`);
  const got =
    reasons.length === 0 ? "It went out on every channel." : `It did not get through on ${joinWords(reasons)}.`;
  const rest =
    asked.length > 1 ? ` Of the last ${asked.length} alerts, ${failed.length || "none"} failed to go out.` : "";
  return `The last alert${where} was at ${last.timestamp}: ${last.text} ${got}${rest}`;
}
