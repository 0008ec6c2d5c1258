// number → number

import type { NumberStyle } from "../python-text.ts";
import { elementsOf, isNumeric, roundTo, toFloat, typeError } from "../python-values.ts";
import { failingAs } from "../query-error.ts";
import { typeNameOf } from "../query-value.ts";
import type { OperationBuilder, OperationBuilders, OperationSetting } from "./operation.ts";

export const NUMBER_OPERATIONS: OperationBuilders = {
  ToNumber: arithmetic(
    ({ definition }) => (definition.cast_to === "int" ? "integer" : "float"),
    ({ definition }) => (definition.cast_to === "int" ? toWhole : toFloat),
  ),
  NumberRound: arithmetic(
    // A float stays one even without decimals.
    ({ numbers }) => (numbers === "integer" ? "integer" : "float"),
    ({ definition }) =>
      (value) =>
        roundTo(numberIn(value), Number(definition.decimal_digits)),
  ),
  Multiply: arithmetic(
    ({ numbers, definition }) => (Number.isInteger(definition.other) ? numbers : "float"),
    ({ definition }) =>
      (value) =>
        multiply(value, Number(definition.other)),
  ),
  Divide: arithmetic(
    () => "float",
    ({ definition }) =>
      (value) => {
        if (Number(definition.other) === 0) throw typeError("A number cannot be divided by 0.");
        return numberIn(value) / Number(definition.other);
      },
  ),
  RandomNumber: ({ definition: { min_value = 0, max_value = 1 }, tools }) => {
    const [min, max] = [min_value as number, max_value as number];
    return { run: () => min + tools.random() * Math.abs(max - min), numbers: "float" };
  },
};

/** Everything that goes wrong is an `InvalidInputTypeError`. */
function arithmetic(
  style: (setting: OperationSetting) => NumberStyle,
  build: (setting: OperationSetting) => (value: unknown) => unknown,
): OperationBuilder {
  return (setting) => {
    const change = build(setting);
    return {
      numbers: style(setting),
      run: (value) => failingAs("InvalidInputTypeError", setting.place, () => change(value)),
    };
  };
}

function numberIn(value: unknown): number {
  if (isNumeric(value)) return Number(value);
  throw typeError(`A ${typeNameOf(value)} is no number.`);
}

function toWhole(value: unknown): number {
  const whole = Math.trunc(toFloat(value));
  if (Number.isFinite(whole)) return whole;
  throw typeError("There is no whole number for it.");
}

/** Texts and lists are repeated. */
function multiply(value: unknown, other: number): unknown {
  if (isNumeric(value)) return Number(value) * other;
  if (!Number.isInteger(other)) throw typeError(`A ${typeNameOf(value)} can be repeated a whole number of times only.`);
  if (typeof value === "string") return value.repeat(Math.max(0, other));
  if (Array.isArray(value)) return Array.from({ length: Math.max(0, other) }, () => elementsOf(value)).flat();
  throw typeError(`A ${typeNameOf(value)} cannot be multiplied.`);
}
