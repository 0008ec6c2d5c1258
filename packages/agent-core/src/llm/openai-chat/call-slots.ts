// pieces of tool calls, as any compatible server may send them → one slot per call
import { parseJsonObject } from "../../types/json.ts";
import type { LLMDelta } from "../llm-client.ts";
import { ALIVE, argumentsDelta } from "../model-call.ts";
import { type GatheredCall, mayBeSameArguments, uniqueCalls } from "../unique-calls.ts";
import { protocolError } from "../wire-error.ts";

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

/** The index of the one call in the older field, which may tell again what `tool_calls` has. */
export const FUNCTION_CALL = -1;

export interface CallSlot extends GatheredCall {
  readonly id: string;
  /** The server gave it no id of its own. */
  readonly isNamedHere: boolean;
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
    const json = argumentText(piece.function?.arguments);
    const known = this.#find(piece, name);
    if (known && isRepetition(known, name, json)) return ALIVE;
    const slot = known && !beginsAnother(known, piece, name, json) ? known : this.#open(piece);
    if (typeof piece.index === "number") this.#byIndex.set(piece.index, slot);
    if (slot.name === "") slot.name = name;
    slot.json += json;
    return argumentsDelta(slot.id, slot.name, json);
  }

  /** In the order in which they began. An empty piece is no call; arguments for nobody are a broken answer. */
  calls(): readonly CallSlot[] {
    if (this.#slots.some(({ name, json }) => name === "" && json !== "")) {
      throw protocolError("a tool call has no name");
    }
    return uniqueCalls(this.#slots.filter(({ name }) => name !== ""));
  }

  #find({ id, index }: CallPiece, name: string): CallSlot | undefined {
    const byIndex = typeof index === "number" ? this.#byIndex.get(index) : undefined;
    const byId = id ? this.#byId.get(id) : undefined;
    // The same id under another index, with a name: two calls that the server named alike.
    if (byId && typeof index === "number" && !byIndex && byId.position !== undefined && name !== "") return undefined;
    if (id && byIndex?.sentId === id) return byIndex;
    if (id) return byId ?? (byIndex?.isNamedHere && name === "" ? byIndex : undefined);
    return typeof index === "number" ? byIndex : this.#slots.at(-1);
  }

  #open({ id, index }: CallPiece): CallSlot {
    const isFree = id && !this.#byId.has(id);
    const slot: CallSlot = {
      id: isFree ? id : this.#newId(this.#slots.length + 1),
      sentId: id || undefined,
      position: index === FUNCTION_CALL ? undefined : (index ?? undefined),
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
function isRepetition(slot: CallSlot, name: string, json: string): boolean {
  const isWhole = name !== "" && [json, slot.json].every((one) => parseJsonObject(one) !== undefined);
  return isWhole && mayBeSameArguments(json, slot.json);
}

/** A reused index: the call is whole, and here comes a name with arguments again, and not with the same id. */
function beginsAnother(slot: CallSlot, { id }: CallPiece, name: string, json: string): boolean {
  const isOther = !id || id !== slot.sentId;
  return isOther && name !== "" && json !== "" && parseJsonObject(slot.json) !== undefined;
}

/** Whole calls in one list are told apart by their places, where nothing else does. */
export function withPlaces(pieces: readonly CallPiece[]): readonly CallPiece[] {
  const isList = pieces.length > 1 && pieces.every((piece) => typeof piece.index !== "number" && piece.function?.name);
  return isList ? pieces.map((piece, index) => ({ ...piece, index })) : pieces;
}

function argumentText(json: string | object | null | undefined): string {
  if (json === null || json === undefined) return "";
  return typeof json === "string" ? json : JSON.stringify(json);
}
