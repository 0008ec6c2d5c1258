// numbers, texts, lists, classifications, pictures → values

import { Timestamp } from "../../frames/frame.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { encodeJpegSync } from "../../frames/jpeg.ts";
import { parsePattern, toJsonText, toText } from "../python-text.ts";
import {
  compareValues,
  elementsOf,
  isNumeric,
  isTruthy,
  lengthOf,
  roundTo,
  sliceText,
  toFloat,
  typeError,
} from "../python-values.ts";
import {
  failingAs,
  isDictionary,
  type QueryDictionary,
  type QueryValue,
  queryError,
  typeNameOf,
} from "../query-value.ts";
import { directly, type OperationBuilders, type OperationSetting, operationsOn, unfit } from "./operation.ts";

/** Everything that goes wrong is an `InvalidInputTypeError`, unless it says otherwise. */
const onAny = operationsOn({ failsAs: "InvalidInputTypeError" });
const onText = operationsOn({ wants: "A text", takes: (value) => typeof value === "string" });
const onDictionary = operationsOn({ wants: "A dictionary", takes: isDictionary, failsAs: "OperationError" });
const onTime = operationsOn({ wants: "A time", takes: (value) => value instanceof Timestamp });

export const NUMBER_OPERATIONS: OperationBuilders = {
  ToNumber: onAny(
    ({ definition }) => (definition.cast_to === "int" ? toWhole : toFloat),
    ({ definition }) => (definition.cast_to === "int" ? "integer" : "float"),
  ),
  NumberRound: onAny(
    directly((value, { definition }) => roundTo(numberIn(value), Number(definition.decimal_digits))),
    // A float stays one even without decimals.
    ({ numbers }) => (numbers === "integer" ? "integer" : "float"),
  ),
  Multiply: onAny(
    directly((value, { definition }) => multiply(value, Number(definition.other))),
    ({ numbers, definition }) => (Number.isInteger(definition.other) ? numbers : "float"),
  ),
  Divide: onAny(
    directly((value, { definition }) => {
      if (Number(definition.other) === 0) throw typeError("A number cannot be divided by 0.");
      return numberIn(value) / Number(definition.other);
    }),
    "float",
  ),
  RandomNumber: ({ definition: { min_value = 0, max_value = 1 }, tools }) => {
    const [min, max] = [min_value as number, max_value as number];
    return { run: () => min + tools.random() * Math.abs(max - min), numbers: "float" };
  },
};

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

export const TEXT_OPERATIONS: OperationBuilders = {
  StringToLowerCase: onText(directly((text) => text.toLowerCase())),
  StringToUpperCase: onText(directly((text) => text.toUpperCase())),
  StringSubSequence: onText(({ definition: { start = 0, end = -1 } }) => {
    return (text) => sliceText(text, start as number, end as number);
  }),
  StringMatches: onText(({ definition }) => {
    const pattern = parsePattern(String(definition.regex));
    return (text) => pattern.test(text);
  }),
  ToString: ({ numbers }) => ({ run: (value) => toText(value, numbers), numbers }),
  ToBoolean: ({ numbers }) => ({ run: isTruthy, numbers }),
  ConvertDictionaryToJSON: onDictionary(directly((value, { numbers }) => toJsonText(value, numbers))),
  TimestampToISOFormat: onTime(directly(({ iso }) => iso)),
};

/** Longest text that is joined. */
const MAX_JOINED = 1_000_000;
/** Longest text of an element that is counted; the rest is cut. */
const MAX_COUNTED = 128;

export const SEQUENCE_OPERATIONS: OperationBuilders = {
  LookupTable: onAny(directly((value, { definition }) => lookUp(definition.lookup_table, value))),
  SequenceMap: onAny(
    directly((value, { definition }) => elementsOf(value).map((element) => lookUp(definition.lookup_table, element))),
  ),
  SequenceLength: onAny(() => lengthOf, "integer"),
  SequenceElementsCount: onAny(countElements, "integer"),
  SequenceJoin: onAny(joinElements),
  SequenceAggregate: onAny(directly((value, { definition }) => aggregate(elementsOf(value), String(definition.mode)))),
  NumericSequenceAggregate: onAny(({ definition }) => (value) => {
    if (lengthOf(value) === 0) return definition.neutral_value ?? null;
    return aggregateNumbers(elementsOf(value), String(definition.function));
  }),
};

function lookUp(table: unknown, key: unknown): unknown {
  // Names in a JSON object are texts: nothing else is found.
  if (typeof key === "string" && Object.hasOwn(table as object, key)) return (table as Record<string, unknown>)[key];
  throw typeError(`The table has no entry for ${toText(key).slice(0, 60)}.`);
}

function countElements({ numbers }: OperationSetting): (value: unknown) => unknown {
  return (value) => {
    const counts: Record<string, number> = {};
    for (const element of elementsOf(value)) {
      const text = toText(element, numbers);
      const name = text.length > MAX_COUNTED ? `${text.slice(0, MAX_COUNTED)} [...]` : text;
      counts[name] = (Object.hasOwn(counts, name) ? counts[name]! : 0) + 1;
    }
    return counts;
  };
}

function joinElements({
  definition: { separator = ", " },
  place,
  numbers,
}: OperationSetting): (value: unknown) => string {
  const between = String(separator);
  return (value) => {
    const parts = elementsOf(value).map((element) => toText(element, numbers));
    const length = parts.reduce((sum, part) => sum + part.length, between.length * Math.max(0, parts.length - 1));
    if (length <= MAX_JOINED) return parts.join(between);
    throw queryError(
      "OperationError",
      `The joined text would have ${length} characters; ${MAX_JOINED} are allowed.`,
      place,
    );
  };
}

function aggregate(elements: readonly unknown[], mode: string): unknown {
  if (elements.length === 0) throw typeError("There is nothing to choose from: the list is empty.");
  if (mode === "first") return elements[0];
  if (mode === "last") return elements.at(-1);
  const counts = new Map<unknown, { element: unknown; count: number }>();
  for (const element of elements) {
    if (typeof element === "object" && element !== null) throw typeError(`A ${typeNameOf(element)} cannot be counted.`);
    const key = isNumeric(element) ? Number(element) : element;
    const counted = counts.get(key);
    if (counted === undefined) counts.set(key, { element, count: 1 });
    else counted.count += 1;
  }
  const ordered = [...counts.values()].sort((a, b) => b.count - a.count);
  return (mode === "most_common" ? ordered[0]! : ordered.at(-1)!).element;
}

function aggregateNumbers(elements: readonly unknown[], name: string): unknown {
  if (name === "sum") {
    return elements.reduce<number>((sum, element) => {
      if (isNumeric(element)) return sum + Number(element);
      throw typeError(`A ${typeNameOf(element)} cannot be added.`);
    }, 0);
  }
  const sign = name === "min" ? 1 : -1;
  return elements.reduce((best, element) => (sign * compareValues(element, best) < 0 ? element : best));
}

interface ClassScore {
  readonly class: QueryValue;
  readonly class_id: number;
  readonly confidence: number;
}

const PROPERTIES: Readonly<Record<string, (prediction: QueryDictionary) => QueryValue>> = {
  top_class: ({ top, predicted_classes }) => top ?? predicted_classes ?? [],
  top_class_confidence: (prediction) => prediction.confidence ?? predictedConfidences(prediction),
  top_class_confidence_single: (prediction) =>
    prediction.confidence ?? Math.max(0, ...predictedConfidences(prediction)),
  all_classes: (prediction) => scoresOf(prediction).map((score) => score.class),
  all_confidences: (prediction) => scoresOf(prediction).map((score) => score.confidence),
};

export const CLASSIFICATION_OPERATIONS: OperationBuilders = {
  ClassificationPropertyExtract: ({ definition }) => {
    const read = PROPERTIES[String(definition.property_name)];
    if (read === undefined) {
      throw queryError("InvalidInputTypeError", `A classification has no "${definition.property_name}".`);
    }
    return {
      numbers: "float",
      run: (value) => {
        if (isDictionary(value)) return failingAs("OperationError", undefined, () => read(value));
        throw unfit("A classification is needed", value);
      },
    };
  },
};

/** In the order of the list, or by class id where classes are named. */
function scoresOf({ predictions }: QueryDictionary): readonly ClassScore[] {
  if (Array.isArray(predictions)) return predictions as unknown as readonly ClassScore[];
  const scores = Object.entries(predictions as QueryDictionary).map(([name, score]) => ({
    ...(score as QueryDictionary),
    class: name,
  })) as unknown as ClassScore[];
  return scores.sort((a, b) => a.class_id - b.class_id);
}

function predictedConfidences({ predictions, predicted_classes }: QueryDictionary): readonly number[] {
  const scores = predictions as unknown as Readonly<Record<string, ClassScore>>;
  return ((predicted_classes ?? []) as readonly string[]).map((name) => scores[name]!.confidence);
}

const SIZES: Readonly<Record<string, (image: ImageValue) => number>> = {
  size: ({ width, height }) => width * height,
  height: ({ height }) => height,
  width: ({ width }) => width,
  aspect_ratio: ({ width, height }) => (height === 0 ? 0 : width / height),
};

const onImage = operationsOn({
  wants: "A picture",
  takes: (value) => value instanceof ImageValue,
  failsAs: "OperationError",
});

export const IMAGE_OPERATIONS: OperationBuilders = {
  ExtractImageProperty: onImage(
    ({ definition, place }) => {
      const read = SIZES[String(definition.property_name)];
      if (read !== undefined) return read;
      throw queryError("OperationError", `A picture has no "${definition.property_name}".`, place);
    },
    ({ definition }) => (definition.property_name === "aspect_ratio" ? "float" : "integer"),
  ),
  ExtractFrameMetadata: onImage(
    directly((image, { definition, place, tools }) => {
      const { frameNumber, timestamp, fps } = image.videoOrDefault(tools.now());
      if (definition.property_name === "frame_number") return frameNumber;
      if (definition.property_name === "frame_timestamp") return timestamp;
      if (fps !== 0) return (frameNumber - 1) / fps;
      throw queryError("OperationError", "The frames per second of the video are not known.", place);
    }),
    ({ definition }) => (definition.property_name === "seconds_since_start" ? "float" : "integer"),
  ),
  ConvertImageToJPEG: onImage(
    directly((image, { definition: { compression_level = 95 } }) => encodeJpegSync(image, Number(compression_level))),
    "plain",
  ),
  ConvertImageToBase64: onImage(() => (image) => Buffer.from(encodeJpegSync(image, 95)).toString("base64"), "plain"),
};
