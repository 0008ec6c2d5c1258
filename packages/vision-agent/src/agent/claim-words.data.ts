/** What an answer can say was done. `promised` will be told by itself; `done` names nothing. */
export type ClaimKind =
  | "started"
  | "stopped"
  | "paused"
  | "resumed"
  | "removed"
  | "sent"
  | "scheduled"
  | "remembered"
  | "changed"
  | "promised"
  | "done";

/** How one kind is said. Sources of regular expressions over small letters. */
export interface ClaimWords {
  readonly kind: ClaimKind;
  /** After "I have" or "was". */
  readonly past: string;
  /** As `past`, where the clause also names something of the house: these verbs are used for much else. */
  readonly vague?: string;
  /** After "I am". */
  readonly going: string;
}

/** Up to four words between a verb and its particle: "shut the whole thing down". */
const GAP = "(?: [\\w'-]+){0,4}?";

/** The first kind that fits a place in the text counts. */
export const CLAIM_WORDS: readonly ClaimWords[] = [
  {
    kind: "scheduled",
    past: "scheduled|queued(?: up)?|programmed|rescheduled|set (?:up )?(?:an?|the|your) (?:[\\w-]+ ){0,2}(?:reminder|schedule|timer|cron|recurring \\w+|daily \\w+|hourly \\w+)|arranged for",
    going: "scheduling|setting (?:up )?an? (?:[\\w-]+ ){0,2}(?:reminder|timer)",
  },
  {
    kind: "resumed",
    past: "resumed|unpaused|re-?started|re-?enabled|re-?activated|relaunched",
    going: "resuming|unpausing|restarting",
  },
  {
    kind: "paused",
    past: `paused|suspended|put${GAP} on (?:hold|pause)`,
    going: `pausing|suspending|putting${GAP} on hold`,
  },
  {
    kind: "stopped",
    past: `stopped|halted|terminated|shut${GAP} (?:down|off)|turned${GAP} off|switched${GAP} off|disabled|deactivated|killed|disarmed|discontinued|brought${GAP} to a (?:stop|halt)|had${GAP} stopped|hit stop`,
    vague: "ended(?! up)|closed",
    going: `stopping|halting|terminating|shutting${GAP} down|turning${GAP} off|switching${GAP} off|disabling`,
  },
  {
    kind: "started",
    past: `started(?! (?:by|with|from|looking|checking|searching|thinking|out)\\b)|launched|deployed|kicked${GAP} off|turned${GAP} on|switched${GAP} on|initiated|spun up|fired up|armed|(?:got|have)${GAP} (?:running|going|started)|(?:got|have) (?:my|an) eyes? on|put (?:an?|the) (?:watch|alert|alarm|monitor)\\w* (?:on|at|in)|begun (?:to )?\\w+ing|began (?:to )?(?:watch|count|monitor|track)\\w*`,
    vague: `activated|enabled|created|set${GAP} up|put${GAP} in place|established|installed|begun|began|registered`,
    going: `watching|monitoring|(?:counting|tracking|observing)(?! (?:\\d|an? |no |one |two |three |some |several ))|guarding|keeping (?:an eye|watch|track)|looking out|on the lookout|starting|launching|deploying|activating|enabling|creating an? (?:watch|pipeline|alert|rule)|setting${GAP} up`,
  },
  {
    kind: "sent",
    past: "sent|e-?mailed|texted|messaged|notified|alerted|forwarded|informed|pinged|dispatched|raised an? (?:alert|alarm)|triggered an? (?:alert|alarm|notification)|let (?!you\\b|me\\b)(?:[\\w-]+ ){1,3}know|told(?! you\\b| me\\b)|passed (?:it|this|that)(?: \\w+){0,2} on|reported (?:it|this|that) to",
    vague: "posted|delivered|pushed|issued",
    going: "sending|e-?mailing|texting|notifying|alerting|messaging|posting",
  },
  {
    kind: "remembered",
    past: "remembered|memori[sz]ed|made (?:a )?(?:mental )?note|wr(?:itten|ote)(?: [\\w']+){0,3} down|noted(?= (?:that|this|it|your|down)\\b|[.!,;]|$)|(?:recorded|logged)(?= (?:that|this|it|your)\\b|[.!,;]|$)|committed(?: [\\w']+){1,3} to memory|kept(?: [\\w']+){1,2} in mind|learn(?:ed|t)(?= (?:that|this|it|your)\\b)|saved|stored",
    going:
      "remembering|noting (?:that|this|it)|saving|storing|writing (?:that|this|it) down|recording (?:that|this|it)",
  },
  {
    kind: "removed",
    past: `cancell?ed|called${GAP} off|taken${GAP} down|unscheduled|g[oe]t(?:ten)? rid of`,
    vague: "removed|deleted|cleared|dropped|erased|wiped|discarded",
    going: "cancell?ing|removing|deleting",
  },
  {
    kind: "changed",
    past: "reconfigured|renamed|t(?:ook|aken) care of|made (?:the|these|those|all|your) (?:changes?|adjustments?|updates?|edits?)|done (?:that|it|so)\\b|carried (?:it|that) out|swapped (?:the|your) (?:\\w+ )?model",
    vague:
      "changed|updated|adjusted|modified|edited|raised|lowered|increased|reduced|decreased|configured|replaced|switched|moved|set|added|tweaked|extended|limited|restricted|applied|muted|silenced|snoozed|swapped|reset|redrew|redrawn|put",
    going: "reconfiguring|renaming|changing|updating|adjusting|modifying",
  },
];

/** Things of the house that are started, changed and sent. */
export const HOUSE_NOUNS =
  "pipelines?|watch(?:es)?|monitor(?:ing|s)?|count(?:ing|er|ers|s)?|tracking|tracker|surveillance|alert(?:s|ing)?|alarms?|notifications?|messages?|e-?mails?|reminders?|tasks?|jobs?|schedules?|summar(?:y|ies)|reports?|rules?|zones?|lines?|thresholds?|cool-?downs?|hours|settings?|preferences?|notes?|sensitivity|confidence|intervals?|cameras?|streams?|watching|recording|detection|heartbeats?|memory";

/** Words that stand for them. */
export const PRONOUNS = "it|this|that|these|those|they|them|everything|all|both";

/** What cameras see. A sentence about these tells a scene, not the house. */
export const SCENE_NOUNS =
  "person|people|man|men|woman|women|child|children|worker|driver|car|cars|van|vans|truck|trucks|bus|buses|vehicle|vehicles|bike|bicycle|motorcycle|dog|cat|animal|bird|door|gate|package|parcel|box|forklift|machine|conveyor|light|traffic|train|somebody|someone|he|she";

/** Verbs of looking, thinking and speaking: they change nothing. Any other verb about a thing of the house does. */
export const HARMLESS_VERBS =
  "look|check|inspect|examin|analy[sz]|review|search|scann|view|watch|monitor|observ|detect|identifi|recogni[sz]|notic|count|measur|estimat|compar|list|fetch|read|load|receiv|request|ask|answer|describ|explain|mention|report|summari[sz]|suggest|recommend|propos|offer|prepar|draft|design|compos|plann|consider|assum|guess|expect|interpret|understand|validat|verifi|confirm|test|tri|attempt|fail|miss|need|want|prefer|wait|happen|cross|enter|appear|pass|stay|mov|finish|complet|us|call|captur|crop|resiz|attach|includ|show|display|trigger|fir|interrupt|delay|connect|disconnect|block|damag|train|bas|relat|limit|nam|inform|talk|learn|not|point|focus|work|seem|turn|open|clos|walk|arriv|park|deliver|collect|gather|retriev|obtain|see|mark|highlight|draw|annotat|label|match|found|indicat|return|respond|realis|realiz|figur|determin|conclud|decid|chos|pick|select|sugg|reach|contact|start|end";
