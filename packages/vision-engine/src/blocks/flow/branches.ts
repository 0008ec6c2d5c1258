// value → which steps run next, and their values joined again

import { inputError } from "../../errors.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { roundHalfEven } from "../../geometry/polygons.ts";
import type { QueryScope } from "../../query/operations/operation.ts";
import { numberText, toText } from "../../query/python-text.ts";
import { isEqual } from "../../query/python-values.ts";
import { createQueryCache, type QueryCache } from "../../query/statements.ts";
import {
  applyOperations,
  BlockBatch,
  type BlockInputs,
  type BlockValue,
  block,
  FlowControl,
  imageOf,
  numberOr,
  type StepText,
  textsOf,
} from "../block.ts";

export const continueIf = block({
  type: "roboflow_core/continue_if@v1",
  description: "Runs the next steps only while a condition holds, and for a while after it held.",
  phrase: "goes on only if its condition holds",
  start: (context) => {
    const query = createQueryCache(context);
    let heldAt: number | undefined;
    return (inputs) => {
      const next = textsOf(inputs, "next_steps") ?? [];
      if (next.length === 0) return new FlowControl();
      const delayMs = 1000 * numberOr(inputs, "stop_delay", 0);
      const holds = query.statement(inputs.condition_statement)((inputs.evaluation_parameters ?? {}) as QueryScope);
      const now = context.now();
      if (holds && delayMs > 0) heldAt = now;
      const lasts = heldAt !== undefined && now - heldAt <= delayMs;
      return new FlowControl(holds || lasts ? next : undefined);
    };
  },
});

export const deltaFilter = block({
  type: "roboflow_core/delta_filter@v1",
  description: "Runs the next steps only when a value differs from the last one of the same video.",
  phrase: "goes on only when the value changed",
  start: ({ now }) => {
    const last = new Map<string, BlockValue>();
    return (inputs) => {
      const { videoIdentifier } = imageOf(inputs, "image").videoOrDefault(now());
      const value = inputs.value ?? null;
      if (isEqual(last.get(videoIdentifier) ?? null, value)) return new FlowControl();
      last.set(videoIdentifier, value);
      return new FlowControl(textsOf(inputs, "next_steps"));
    };
  },
});

export const rateLimiter = block({
  type: "roboflow_core/rate_limiter@v1",
  description: "Runs the next steps at most once in so many seconds, by the clock or by the time of a video.",
  phrase: ({ properties }) => `goes on at most once in ${properties.cooldown_seconds ?? 1} s`,
  start: ({ now }) => {
    let lastMicros: number | undefined;
    return (inputs) => {
      const micros = microsecondsOf(inputs, now());
      const cooldown = numberOr(inputs, "cooldown_seconds", 1);
      if (lastMicros !== undefined && (micros - lastMicros) / 1e6 < cooldown) return new FlowControl();
      lastMicros = micros;
      return new FlowControl(textsOf(inputs, "next_steps"));
    };
  },
});

/** Whole microseconds: frames that lie exactly one cooldown apart are let through. */
function microsecondsOf({ video_reference_image: image }: BlockInputs, nowMs: number): number {
  const video = image instanceof ImageValue ? image.videoOrDefault(nowMs) : undefined;
  if (video === undefined || video.fps === 0) return nowMs * 1000;
  return roundHalfEven((1 / video.fps) * video.frameNumber * 1e6);
}

export const switchCase = block({
  type: "roboflow_core/switch_case@v1",
  description: "Runs the step that belongs to a value, else the default steps.",
  phrase: "goes on with the step for the value",
  run: (inputs) => {
    const cases = (inputs.cases ?? {}) as Readonly<Record<string, string>>;
    const target = targetOf(inputs.value ?? null, cases, inputs.case_insensitive === true);
    if (target !== undefined) return new FlowControl([target]);
    const fallback = textsOf(inputs, "default_next_steps") ?? [];
    return new FlowControl(fallback.length > 0 ? fallback : undefined);
  },
});

function targetOf(
  value: BlockValue,
  cases: Readonly<Record<string, string>>,
  caseInsensitive: boolean,
): string | undefined {
  const texts = [toText(value)];
  // 1 and 1.0 are one number here, and two cases there.
  if (Number.isInteger(value)) texts.push(numberText(value as number, "float"));
  const form = (text: string): string => (caseInsensitive ? text.toLowerCase() : text);
  for (const text of texts.map(form)) {
    const found = Object.keys(cases).find((name) => form(name) === text);
    if (found !== undefined) return cases[found];
  }
  return undefined;
}

export const firstNonEmptyOrDefault = block({
  type: "roboflow_core/first_non_empty_or_default@v1",
  description: "Gives the first of several values that is there, else a default: joins branches again.",
  phrase: "takes the first value that is there",
  run: ({ data = null, default: fallback = null }) => ({
    output: itemsOf(data).find((item) => (item ?? null) !== null) ?? fallback,
  }),
});

export const dimensionCollapse = block({
  type: "roboflow_core/dimension_collapse@v1",
  description: "Gathers the values of all crops of a picture in one list.",
  phrase: "gathers the values of all parts",
  run: ({ data = null }) => ({ output: itemsOf(data) }),
});

function itemsOf(data: BlockValue): readonly BlockValue[] {
  if (data instanceof BlockBatch) return data.items;
  return Array.isArray(data) ? data : [data];
}

/** The cases as a step holds them. */
export interface CasesDefinition {
  readonly cases: readonly { readonly condition: unknown; readonly result: CaseResult }[];
  readonly default: CaseResult;
}

type CaseResult =
  | { readonly type: "StaticCaseResult"; readonly value: BlockValue }
  | { readonly type: "DynamicCaseResult"; readonly parameter_name: string; readonly operations?: unknown };

export const expression = block({
  type: "roboflow_core/expression@v1",
  description: "Gives the result of the first case whose condition holds, else the default.",
  stateless: true,
  phrase: "chooses a result by its conditions",
  start: (context) => {
    const query = createQueryCache(context);
    return ({ data = {}, data_operations = {}, switch: switchDefinition = null }) => {
      const variables = applyOperations(query, data, data_operations);
      const { cases, default: fallback } = switchDefinition as unknown as CasesDefinition;
      const found = cases.find(({ condition }) => query.statement(condition)(variables));
      return { output: resultOf(found?.result ?? fallback, variables, query) };
    };
  },
});

function resultOf(result: CaseResult, variables: BlockInputs, query: QueryCache): BlockValue {
  if (result.type === "StaticCaseResult") return result.value ?? null;
  const { parameter_name: name, operations } = result;
  if (!Object.hasOwn(variables, name)) throw inputError(`The expression has no variable "${name}".`, "KeyError");
  return query.operations(operations ?? null)(variables[name], variables);
}

export const propertyDefinition = block({
  type: "roboflow_core/property_definition@v1",
  description: "Takes a property out of a value by a chain of operations: a count, class names, a rounded number.",
  stateless: true,
  phrase: "takes a property out of the data",
  start: (context) => {
    const query = createQueryCache(context);
    return ({ data = null, operations = null }) => ({ output: query.operations(operations)(data) });
  },
});

export const environmentSecretsStore = block({
  type: "roboflow_core/environment_secrets_store@v1",
  description: "Hands secrets that the host keeps to other steps, by name.",
  phrase: "hands out secrets",
  outputs: (step) => namesIn(step).map((name) => ({ name: name.toLowerCase(), kinds: ["secret"] })),
  start:
    ({ effects }) =>
    (inputs) => {
      const { secrets } = effects;
      if (secrets === undefined)
        throw inputError("Secrets of the host are not open to workflows here.", "RuntimeError");
      const names = textsOf(inputs, "variables_storing_secrets") ?? [];
      return Object.fromEntries(names.map((name) => [name.toLowerCase(), secrets(name) ?? null]));
    },
});

function namesIn({ properties: { variables_storing_secrets: names } }: StepText): readonly string[] {
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}
