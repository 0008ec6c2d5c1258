// a picture + who would receive it → leave to send it, written down first, or the reason why not
import { createHash } from "node:crypto";
import type { Departure, EgressRule, ImagesRule } from "@vision-agent/protocol";
import type { OutgoingPicture } from "@vision-agent/vision-engine";
import type { PictureOrigin } from "../store/picture-origin.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { type Destination, leavesMachine, toDestination } from "./destination.ts";
import type { EgressLedger } from "./egress-ledger.ts";
import type { EgressPair, EgressRules } from "./egress-rules.ts";

/** A picture that may be sent. Only `Egress.admit` makes one, and whatever sends pictures takes nothing else. */
export interface AllowedPicture {
  readonly bytes: Uint8Array;
  readonly [ALLOWED]: true;
}
/** Leave to send the pictures of a camera for as long as something runs. Only `Egress.admitStream` makes one. */
export interface AllowedStream {
  readonly origin: PictureOrigin;
  readonly [ALLOWED]: true;
}
declare const ALLOWED: unique symbol;

/** Why a picture stays here, in a sentence. */
export interface RefusedPicture {
  readonly refused: string;
}

export interface DepartingPicture {
  readonly bytes: Uint8Array;
  /** Undefined when nobody knows, which is a no. */
  readonly origin: PictureOrigin | undefined;
  /** Id of the artifact that holds it. */
  readonly artifact?: string;
}

/** The one place that decides which pictures leave this machine. */
export interface Egress {
  /** What holds for pictures of a camera there, as things are now. */
  ruleFor(camera: string, to: Destination): ImagesRule;
  /** Decides about each, and writes down those that may leave before it resolves. Never rejects. */
  admit(
    pictures: readonly DepartingPicture[],
    to: Destination,
    why: string,
  ): Promise<readonly (AllowedPicture | RefusedPicture)[]>;
  /** The same for what is sent, or read by the other side, for as long as a pipeline runs. Never rejects. */
  admitStream(origin: PictureOrigin, to: Destination, why: string): Promise<AllowedStream | RefusedPicture>;
  /** Whether a workflow may send a picture, which is written down then. Never rejects. */
  admitOutgoing(picture: OutgoingPicture): Promise<boolean>;
  readonly rules: EgressRules;
  readonly ledger: Pick<EgressLedger, "list" | "forget">;
}

export interface EgressOptions {
  readonly rules: EgressRules;
  readonly ledger: EgressLedger;
  /** For cameras and destinations that no rule names. */
  readonly usual: ImagesRule;
  /** Names of all cameras that show what this one shows, itself among them: a second name is no way around a rule. */
  readonly sameView: (camera: string) => readonly string[];
  /** Hosts on this machine that pass on what they receive. */
  readonly remoteHosts: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told when the ledger cannot be written. Must not throw. */
  readonly onProblem: (message: string) => void;
}

const STRICTEST: readonly ImagesRule[] = ["never", "ask", "allow"];

const NOTHING_LEAVES: RefusedPicture = { refused: "egress.images in config.yaml is never" };
const UNKNOWN: RefusedPicture = { refused: "nobody knows which camera took it" };

export function createEgress(options: EgressOptions): Egress {
  const { rules, ledger, usual, sameView, remoteHosts, now, onProblem } = options;
  // What a person says about this machine holds, too; without a word nothing leaves it.
  const ruleFor = (camera: string, to: Destination): ImagesRule => {
    const usualThere = leavesMachine(to, remoteHosts) ? usual : "allow";
    const rule = rules.find(camera, to.host) ?? usualThere;
    const others = sameView(camera).flatMap((name) => rules.find(name, to.host) ?? []);
    return STRICTEST.find((one) => one === rule || others.includes(one)) ?? rule;
  };
  const refusalOf = (cameras: readonly string[], to: Destination): RefusedPicture | undefined => {
    // Of no camera: what people upload leaves with their message, unless nothing is to leave.
    if (cameras.length === 0 && usual === "never" && leavesMachine(to, remoteHosts)) return NOTHING_LEAVES;
    const rule = cameras.map((camera) => [camera, ruleFor(camera, to)] as const).find(([, one]) => one !== "allow");
    return rule && { refused: describeRefusal({ camera: rule[0], destination: to.host, images: rule[1] }) };
  };
  const unknownAt = (to: Destination): RefusedPicture | undefined =>
    leavesMachine(to, remoteHosts) ? UNKNOWN : undefined;
  /** What cannot be written down does not leave. */
  const record = async (to: Destination, departures: readonly Departure[]): Promise<RefusedPicture | undefined> => {
    if (departures.length === 0 || !leavesMachine(to, remoteHosts)) return undefined;
    try {
      await ledger.append(departures);
      return undefined;
    } catch (error) {
      onProblem(`No picture is sent to ${to.host}, because it cannot be written down: ${reasonOf(error)}`);
      return { refused: "the list of pictures that left cannot be written" };
    }
  };
  const common = ({ kind, host }: Destination, why: string) => ({
    at: new Date(now()).toISOString(),
    to: host,
    kind,
    why,
  });
  return {
    ruleFor,
    rules,
    ledger,
    async admit(pictures, to, why) {
      const judged = pictures.map((picture) => ({
        picture,
        refused: picture.origin ? refusalOf(picture.origin.cameras, to) : unknownAt(to),
      }));
      const leaving = judged.filter(({ refused }) => refused === undefined);
      const unwritten = await record(
        to,
        leaving.map(({ picture }) => ({ ...common(to, why), ...describePicture(picture) })),
      );
      return judged.map(({ picture, refused }) => refused ?? unwritten ?? toAllowed({ bytes: picture.bytes }));
    },
    async admitOutgoing({ camera, sink, destination, bytes, sha256 }) {
      const to = toDestination("sink", destination);
      if (camera === undefined ? unknownAt(to) : refusalOf([camera], to)) return false;
      const departure = { ...common(to, `sent by ${sink}`), camera: camera ?? null, what: "picture" as const };
      return (await record(to, [{ ...departure, bytes, sha256 }])) === undefined;
    },
    async admitStream(origin, to, why) {
      const departure = { ...common(to, why), camera: nameOf(origin), what: "stream" as const };
      return refusalOf(origin.cameras, to) ?? (await record(to, [departure])) ?? toAllowed({ origin });
    },
  };
}

export function isRefused(answer: object): answer is RefusedPicture {
  return "refused" in answer;
}

function toAllowed<T extends object>(content: T): T & { readonly [ALLOWED]: true } {
  return content as T & { readonly [ALLOWED]: true };
}

function nameOf(origin: PictureOrigin | undefined): string | null {
  return origin?.cameras.join(", ") || null;
}

function describePicture({ bytes, origin, artifact }: DepartingPicture) {
  return {
    camera: nameOf(origin),
    what: "picture" as const,
    ...(artifact !== undefined && { artifact }),
    bytes: bytes.byteLength,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
}

function describeRefusal({ camera, destination, images }: Omit<EgressRule, "at">): string {
  if (images === "never") return `pictures of ${camera} are never sent to ${destination}`;
  return `nobody has allowed sending pictures of ${camera} to ${destination} (vision-agent egress allow ${camera} ${destination})`;
}

/** What a person is asked, for all pairs at once. */
export function describeQuestion(pairs: readonly EgressPair[]): string {
  const list = (names: readonly string[]): string => [...new Set(names)].join(" and ");
  const cameras = list(pairs.map(({ camera }) => camera));
  return `May pictures of ${cameras} be sent to ${list(pairs.map(({ destination }) => destination))}? I will remember the answer.`;
}
