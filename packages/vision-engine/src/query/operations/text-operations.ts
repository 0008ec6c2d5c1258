// text, time or anything → text or truth
import { Timestamp } from "../../frames/timestamp.ts";
import { parsePattern } from "../python-pattern.ts";
import { toJsonText, toText } from "../python-text.ts";
import { isTruthy, sliceText } from "../python-values.ts";
import { failingAs, queryError } from "../query-error.ts";
import { isDictionary, typeNameOf } from "../query-value.ts";
import type { OperationBuilder, OperationBuilders, OperationSetting } from "./operation.ts";

export const TEXT_OPERATIONS: OperationBuilders = {
  StringToLowerCase: onText(() => (text) => text.toLowerCase()),
  StringToUpperCase: onText(() => (text) => text.toUpperCase()),
  StringSubSequence: onText(({ definition: { start = 0, end = -1 } }) => {
    return (text) => sliceText(text, start as number, end as number);
  }),
  StringMatches: onText(({ definition }) => {
    const pattern = parsePattern(String(definition.regex));
    return (text) => pattern.test(text);
  }),
  ToString: ({ numbers }) => ({ run: (value) => toText(value, numbers), numbers }),
  ToBoolean: ({ numbers }) => ({ run: isTruthy, numbers }),
  ConvertDictionaryToJSON: ({ place, numbers }) => ({
    numbers,
    run: (value) => {
      if (!isDictionary(value)) throw unfit("A dictionary", value, place);
      return failingAs("OperationError", place, () => toJsonText(value, numbers));
    },
  }),
  TimestampToISOFormat: ({ place, numbers }) => ({
    numbers,
    run: (value) => {
      if (value instanceof Timestamp) return value.iso;
      throw unfit("A time", value, place);
    },
  }),
};

function onText(build: (setting: OperationSetting) => (text: string) => string | boolean): OperationBuilder {
  return (setting) => {
    const change = build(setting);
    return {
      numbers: setting.numbers,
      run: (value) => {
        if (typeof value === "string") return change(value);
        throw unfit("A text", value, setting.place);
      },
    };
  };
}

function unfit(wanted: string, value: unknown, place: string): Error {
  return queryError("InvalidInputTypeError", `${wanted} is needed at ${place}, not a ${typeNameOf(value)}.`, place);
}
