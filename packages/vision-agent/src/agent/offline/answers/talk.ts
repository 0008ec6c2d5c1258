// what needs no tool
import type { Act, Known } from "../intent.ts";
import { KEY } from "./findings.ts";

function helpText(known: Known): string {
  const camera = known.cameras[0]?.name ?? "street";
  const names = known.cameras.map(({ name }) => name);
  const cameras = names.length === 0 ? "No camera is set up yet." : `Cameras: ${names.join(", ")}.`;
  return [
    "I am the offline interpreter: I read plain instructions by rule, without a language model. You can say:",
    "",
    `- "What do you see on ${camera}?" and "Is there a dog on ${camera}?"`,
    `- "Count people crossing the middle of ${camera}" and "How many crossed?"`,
    `- "Tell me when a person enters the left half of ${camera}, only between 22:00 and 6:00"`,
    `- "Tell me if somebody stays longer than 30 seconds on ${camera}, at most once an hour"`,
    '- "What happened today?" and "How many people came yesterday?"',
    '- "What is running?", "Pause it", "Stop everything"',
    '- "Remember that …", "What do you know about …?", "Every morning at 8 tell me what happened"',
    `- "Run my-workspace/my-model/1 on ${camera}" and "Which blocks are there for tracking?"`,
    "",
    `${cameras} ${KEY}`,
  ].join("\n");
}

/** Nobody is reached by e-mail, message or phone from here. */
export function noChannel(channel: string, { kind }: Act): string {
  const what = /phone|call/.test(channel) ? "calls" : channel;
  const where = kind === "watch" ? "the alert appears in the dashboard and the terminal" : "the answer is given here";
  return `I cannot send ${what}: ${where}.`;
}

const WORDS: { readonly [K in Act["kind"]]?: string } = {
  thanks: "You are welcome.",
  foreign: "I read English only; please say it in English.",
  unchanged:
    'I found nothing in that to change. Say what should be different, such as "only at night" or "make it 5 minutes".',
  yes: 'There is nothing that waits for a yes. Say what you want, or "help".',
  no: "All right, I leave it as it is.",
  calmer: 'There is nothing here to calm down. "What do you watch?" lists what tells you.',
};

/** What is said to an act that needs no tool. */
export function talk(act: Act, known: Known): string {
  const camera = known.cameras[0]?.name ?? "street";
  switch (act.kind) {
    case "help":
      return helpText(known);
    case "greeting":
      return `Hello. Ask me "What do you see on ${camera}?", or say "help" for what I can do.`;
    case "beyond":
      return `I cannot ${act.what}. ${act.instead}${act.modelHelps ? ` ${KEY}` : ""}`;
    default:
      return (
        WORDS[act.kind] ??
        `I did not understand that. I read plain English by rule: try "What do you see on ${camera}?", "Tell me when a person appears on ${camera}", "What happened today?" or "help". ${KEY}`
      );
  }
}
