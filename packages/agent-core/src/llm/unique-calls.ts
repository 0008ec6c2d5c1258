// calls as a server told them, some of them twice → the calls that an answer holds
import { canonicalJson, parseJsonObject } from "../types/json.ts";

/** A call that is gathered from a stream. */
export interface GatheredCall {
  /** As the server named it; another call may have the same. */
  sentId: string | undefined;
  /** Its place in the answer, where the server said it. */
  position: number | string | undefined;
  name: string;
  json: string;
}

interface ToldCall<C> {
  readonly call: C;
  /** Undefined where they are not whole. */
  args: string | undefined;
}

/**
 * Where two cannot be told apart, it is one call: the same id with the same arguments, or where the arguments of one never
 * came; without ids the same arguments, and not in two positions. The first is kept, with the whole arguments.
 */
export function uniqueCalls<C extends GatheredCall>(calls: readonly C[]): readonly C[] {
  if (calls.length < 2) return calls;
  const kept: ToldCall<C>[] = [];
  for (const call of calls) {
    const told: ToldCall<C> = { call, args: toComparable(call.json) };
    const same = kept.find((one) => isSameCall(one, told));
    if (!same) {
      kept.push(told);
      continue;
    }
    same.call.sentId ??= call.sentId;
    same.call.position ??= call.position;
    if (same.args !== undefined) continue;
    same.call.json = call.json;
    same.args = told.args;
  }
  return kept.map(({ call }) => call);
}

function isSameCall(one: ToldCall<GatheredCall>, other: ToldCall<GatheredCall>): boolean {
  const isNamed = one.call.sentId !== undefined && other.call.sentId !== undefined;
  const [id, otherId] = isNamed ? [one.call.sentId, other.call.sentId] : [one.call.position, other.call.position];
  const isApart = id !== undefined && otherId !== undefined && id !== otherId;
  if (one.call.name !== other.call.name || isApart) return false;
  const isWhole = one.args !== undefined && other.args !== undefined;
  return isWhole ? one.args === other.args : isNamed || one.call.json === other.call.json;
}

/** Whether these can be the arguments of one call, however they are spaced and ordered, also where one is not whole. */
export function mayBeSameArguments(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [toComparable(one), toComparable(other)];
  return first === undefined || second === undefined || first === second;
}

function toComparable(json: string): string | undefined {
  const args = parseJsonObject(json);
  return args && canonicalJson(args);
}
