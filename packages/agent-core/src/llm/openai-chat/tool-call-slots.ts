// pieces of tool calls, as compatible servers send them → whole calls
import type { LLMDelta } from "../llm-client.ts";
import { parseObject } from "../tool-arguments.ts";

/** One piece. Every field may be missing, null, or not what the specification says. */
export interface CallPiece {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: {
    readonly name?: string | null;
    /** Some servers send the object itself. */
    readonly arguments?: string | object | null;
  } | null;
}

export interface CallSlot {
  readonly id: string;
  /** The server gave it no id of its own. */
  readonly isNamedHere: boolean;
  name: string;
  json: string;
}

/** Complaint 15: a piece belongs to the call of its id if that is new, else of its index, else to the current one. */
export class ToolCallSlots {
  readonly #slots: CallSlot[] = [];
  readonly #byId = new Map<string, CallSlot>();
  readonly #byIndex = new Map<number, CallSlot>();
  readonly #newId: (number: number) => string;

  /** `newId` names calls that came without an id; numbers count from 1. */
  constructor(newId: (number: number) => string) {
    this.#newId = newId;
  }

  take(piece: CallPiece): LLMDelta {
    const name = piece.function?.name ?? "";
    const json = toText(piece.function?.arguments);
    const known = this.#find(piece, name);
    if (known && isRepetition(known, piece, json)) return { type: "alive" };
    const slot = known && !beginsAnother(known, name, json) ? known : this.#open(piece);
    if (typeof piece.index === "number") this.#byIndex.set(piece.index, slot);
    if (slot.name === "") slot.name = name;
    slot.json += json;
    return json === "" ? { type: "alive" } : { type: "tool_args", callId: slot.id, toolName: slot.name, json };
  }

  /** In the order in which they began. A piece that never got a name is no call. */
  calls(): readonly CallSlot[] {
    return this.#slots.filter(({ name }) => name !== "");
  }

  #find({ id, index }: CallPiece, name: string): CallSlot | undefined {
    const byIndex = typeof index === "number" ? this.#byIndex.get(index) : undefined;
    if (id) return this.#byId.get(id) ?? (byIndex?.isNamedHere && name === "" ? byIndex : undefined);
    return typeof index === "number" ? byIndex : this.#slots.at(-1);
  }

  #open({ id }: CallPiece): CallSlot {
    const isFree = id && !this.#byId.has(id);
    const slot: CallSlot = {
      id: isFree ? id : this.#newId(this.#slots.length + 1),
      isNamedHere: !isFree,
      name: "",
      json: "",
    };
    this.#slots.push(slot);
    this.#byId.set(slot.id, slot);
    return slot;
  }
}

/** Some servers end by telling a whole call again. */
function isRepetition(slot: CallSlot, { id }: CallPiece, json: string): boolean {
  return Boolean(id) && json !== "" && json === slot.json && parseObject(json) !== undefined;
}

/** A reused index: the call is whole, and here comes a name with arguments again. */
function beginsAnother(slot: CallSlot, name: string, json: string): boolean {
  return name !== "" && json !== "" && parseObject(slot.json) !== undefined;
}

function toText(json: string | object | null | undefined): string {
  if (json === null || json === undefined) return "";
  return typeof json === "string" ? json : JSON.stringify(json);
}
