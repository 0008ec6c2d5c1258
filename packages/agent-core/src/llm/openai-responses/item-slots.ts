// events about output items → one slot per item, whatever the server numbers or names them by
import { freeCallId } from "../tool-wire.ts";
import { type GatheredCall, mayBeSameArguments, uniqueCalls } from "../unique-calls.ts";
import { protocolError } from "../wire-error.ts";

/** An output item of any kind. */
export interface ResponseItem {
  readonly type: string;
  readonly id?: string;
  readonly status?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly content?: readonly { readonly text?: string; readonly refusal?: string }[] | null;
  readonly summary?: readonly { readonly text?: string }[] | null;
  readonly encrypted_content?: string | null;
}

/** By what an event says which item it is about. */
export interface ItemEvent {
  readonly output_index?: number;
  readonly item_id?: string;
  readonly item?: ResponseItem;
}

export interface ItemSlot extends GatheredCall {
  item: ResponseItem;
  readonly index: number | undefined;
  /** Of a function call, and of no other call of this answer; absent until it is known. */
  callId: string | undefined;
  text: string;
  refusal: string;
  closed: boolean;
}

/**
 * An item is known by its own id, else by its index. Its place in the final list says nothing: indexes may have gaps, and
 * some servers give an item another id in each event.
 */
export class ItemSlots {
  readonly #slots: ItemSlot[] = [];
  readonly #callIds = new Set<string>();

  open(event: ItemEvent): ItemSlot {
    const item = requireItem(event);
    // Told twice, an item must not begin again; one that is over is another one.
    const known = this.#find(event, item);
    if (!known || (known.closed && known.item.id !== item.id)) return this.#add(item, event.output_index, "announced");
    this.#learn(known, item);
    return known;
  }

  /** The item at its end is whole; what came in pieces was only to be shown. */
  close(event: ItemEvent): void {
    const item = requireItem(event);
    const known = this.#find(event, item) ?? this.#findOpen(event, item);
    this.#finish(known ?? this.#add(item, event.output_index), item);
  }

  /** The slot that a piece belongs to; a new one of this type when its item was never announced. */
  of(event: ItemEvent, type: string): ItemSlot {
    const { item_id: id, output_index: index } = event;
    const known = this.#find(event, undefined) ?? (isAnonymous(event) ? this.#slots.at(-1) : undefined);
    if (known?.item.type === type) return known;
    if (known && !known.closed) throw protocolError(`a piece of a ${type} came for a ${known.item.type}`);
    return this.#add(id ? { type, id } : { type }, index);
  }

  /** The list at the end: what was announced is completed, what was not is added. */
  complete(output: readonly ResponseItem[]): void {
    const items = output.map(withoutEmptyIds);
    const left = new Set(this.#inOrder());
    const found = new Map<ResponseItem, ItemSlot>();
    // What is surely the same first, so that nothing else takes its place.
    for (const isSame of [hasSameId, hasSameCallId, mayBeSame]) {
      for (const item of items) {
        const slot = found.has(item) ? undefined : [...left].find((one) => isSame(one, item));
        if (!slot) continue;
        found.set(item, slot);
        left.delete(slot);
      }
    }
    for (const item of items) {
      const slot = found.get(item) ?? this.#add(item, undefined);
      slot.position ??= this.#place("listed", slot);
      if (!slot.closed) this.#finish(slot, item);
    }
  }

  /** Every item once, in their order. */
  items(): readonly ItemSlot[] {
    const slots = this.#inOrder();
    const calls = new Set(uniqueCalls(slots.filter(isCall)));
    return slots.filter((slot) => !isCall(slot) || calls.has(slot));
  }

  /** By index where all have one, else as they came. */
  #inOrder(): readonly ItemSlot[] {
    if (this.#slots.some(({ index }) => index === undefined)) return this.#slots;
    return this.#slots.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
  }

  #find({ output_index: index, item_id }: ItemEvent, item: ResponseItem | undefined): ItemSlot | undefined {
    const id = item?.id ?? (item_id || undefined);
    const byId = id === undefined ? undefined : this.#slots.findLast((slot) => slot.item.id === id);
    if (byId || index === undefined) return byId;
    return this.#slots.findLast((slot) => slot.index === index && (!item || isSameKind(slot.item, item)));
  }

  /** An item that ends is the one that was announced, however it is named now: by call id, else by index, else in turn. */
  #findOpen({ output_index: index }: ItemEvent, item: ResponseItem): ItemSlot | undefined {
    const open = this.#slots.filter((slot) => !slot.closed && slot.item.type === item.type);
    const hasNoOther = (slot: ItemSlot): boolean =>
      (index === undefined || slot.index === undefined) && isSameKind(slot.item, item) && mayBeSame(slot, item);
    return (
      open.find((slot) => hasSameCallId(slot, item)) ??
      open.find((slot) => index !== undefined && slot.index === index) ??
      open.find(hasNoOther)
    );
  }

  #add(item: ResponseItem, index: number | undefined, how?: "announced"): ItemSlot {
    const call = { sentId: item.call_id, position: index, name: item.name ?? "", json: item.arguments ?? "" };
    const slot: ItemSlot = { ...call, item, index, callId: undefined, text: "", refusal: "", closed: false };
    this.#slots.push(slot);
    if (how) slot.position ??= this.#place(how, slot);
    this.#learn(slot, item);
    return slot;
  }

  /** A position of its own for an item that is surely none of the others. */
  #place(how: "announced" | "listed", slot: ItemSlot): string {
    return `${how} ${this.#slots.indexOf(slot)}`;
  }

  #learn(slot: ItemSlot, item: ResponseItem): void {
    slot.item = { ...slot.item, ...item };
    slot.sentId ??= item.call_id;
    slot.name ||= item.name ?? "";
    if (item.type !== "function_call" || slot.callId !== undefined || item.name === undefined) return;
    const id = item.call_id ?? item.id ?? `call_${this.#slots.indexOf(slot) + 1}`;
    slot.callId = freeCallId(id, this.#callIds);
    this.#callIds.add(slot.callId);
  }

  #finish(slot: ItemSlot, item: ResponseItem): void {
    this.#learn(slot, item);
    slot.item = item;
    slot.sentId = item.call_id ?? slot.sentId;
    slot.closed = item.status !== "incomplete";
    slot.json = item.arguments ?? slot.json;
    if (item.type !== "message") return;
    const content = item.content ?? [];
    slot.text = content.map(({ text }) => text ?? "").join("") || slot.text;
    slot.refusal = content.map(({ refusal }) => refusal ?? "").join("") || slot.refusal;
  }
}

function requireItem({ item }: ItemEvent): ResponseItem {
  if (item) return withoutEmptyIds(item);
  throw protocolError("an item was announced and not described");
}

/** An empty id is none. */
function withoutEmptyIds({ id, call_id, ...item }: ResponseItem): ResponseItem {
  return { ...item, ...(id && { id }), ...(call_id && { call_id }) };
}

function isAnonymous({ output_index, item_id }: ItemEvent): boolean {
  return output_index === undefined && !item_id;
}

function isCall({ item }: ItemSlot): boolean {
  return item.type === "function_call";
}

function hasSameId({ item }: ItemSlot, other: ResponseItem): boolean {
  return typeof other.id === "string" && item.id === other.id;
}

function hasSameCallId({ sentId }: ItemSlot, other: ResponseItem): boolean {
  return sentId !== undefined && sentId === other.call_id;
}

function mayBeSame(slot: ItemSlot, other: ResponseItem): boolean {
  if (slot.item.type !== other.type) return false;
  return !isCall(slot) || (slot.name === other.name && mayBeSameArguments(slot.json, other.arguments ?? ""));
}

/** Nothing that both say tells them apart. */
function isSameKind(one: ResponseItem, other: ResponseItem): boolean {
  const isOneCall = one.call_id === undefined || other.call_id === undefined || one.call_id === other.call_id;
  return one.type === other.type && isOneCall;
}
