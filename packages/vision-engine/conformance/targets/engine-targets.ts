import { EngineError } from "../../src/errors.ts";
import { CATEGORIES, Findings, SpecRefusal, toRefusedError } from "../../src/workflow/findings.ts";
import { type Lineage, lineagePrefixes } from "../../src/workflow/parsed-workflow.ts";
import { readInputs } from "../../src/workflow/read-document.ts";
import { readRuntimeInputs } from "../../src/workflow/run/runtime-inputs.ts";
import { emptyNest, nestFor, placeInNest } from "../../src/workflow/run/shape-outputs.ts";
import { inputSelector, kindsMeet, ownerOf, parseSelector, stepSelector } from "../../src/workflow/selector.ts";
import {
  checkInputOffsets,
  checkLineages,
  checkOutputOffset,
  executionDepth,
  type Offsets,
  referenceLineage,
} from "../../src/workflow/step-flow.ts";
import { decodeValue } from "../decode-value.ts";
import { type Driver, type Drivers, isObject, type Recorded, type RecordedObject } from "../vector-record.ts";
import { maskedBy } from "./engine-masks.ts";
import { compile, decodeGiven, runAll } from "./engine-runs.ts";

/** A check says nothing when all is well. */
function checking(check: (input: RecordedObject) => void): Driver {
  return (input) => {
    refusing(String(input.step_name), () => check(input));
    return null;
  };
}

/** A refusal as the error that a caller would get. */
function refusing<T>(step: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SpecRefusal)) throw error;
    throw toRefusedError(new SpecRefusal(error.category, error.message, { ...error.place, step }));
  }
}

function isSelectorOf(kind: "input" | "output" | "step"): Driver {
  return ({ selector_or_value: value }) => typeof value === "string" && parseSelector(value)?.kind === kind;
}

function membersOf(set: Recorded | undefined): readonly Recorded[] {
  return (isObject(set) ? set.$set : set) as readonly Recorded[];
}

function namesOf(kinds: Recorded | undefined): readonly string[] {
  return (kinds as readonly Recorded[]).map((kind) => String(isObject(kind) ? kind.name : kind));
}

/** Lineage of a property as the peer describes what it is fed. */
function fedLineage(inputData: Recorded | undefined, property: Recorded | undefined): Lineage | undefined {
  const text = JSON.stringify((inputData as RecordedObject)[String(property)] ?? null);
  const [, lineage] = /"data_lineage":(\[[^\]]+\])/.exec(text) ?? [];
  return lineage === undefined ? undefined : JSON.parse(lineage);
}

export const ENGINE_DRIVERS: Drivers = {
  "engine.run": runAll,
  "engine.compile": compile,

  "engine.construct_input_selector": ({ input_name }) => inputSelector(String(input_name)),
  "engine.construct_step_selector": ({ step_name }) => stepSelector(String(step_name)),
  "engine.get_step_selector_from_its_output": ({ step_output_selector }) => ownerOf(String(step_output_selector)),
  "engine.get_last_chunk_of_selector": ({ selector }) => String(selector).split(".").at(-1),
  "engine.is_input_selector": isSelectorOf("input"),
  "engine.is_step_output_selector": isSelectorOf("output"),
  "engine.is_step_selector": isSelectorOf("step"),

  "engine.validate_reference_kinds": ({ expected, actual }) => {
    if (kindsMeet(namesOf(actual), namesOf(expected))) return null;
    throw new EngineError({ kind: "workflow", message: "The kinds do not meet.", ...CATEGORIES.kinds });
  },
  "engine.verify_step_input_dimensionality_offsets": checking(({ input_dimensionality_offsets }) =>
    checkInputOffsets(input_dimensionality_offsets as Offsets),
  ),
  "engine.verify_output_offset": checking((input) =>
    checkOutputOffset({
      batchProperties: new Set(membersOf(input.parameters_with_batch_inputs).map(String)),
      inputOffsets: input.input_dimensionality_offsets as Offsets,
      reference: (input.dimensionality_reference_property ?? undefined) as string | undefined,
      outputOffset: Number(input.output_dimensionality_offset),
    }),
  ),
  "engine.verify_lineages": checking(({ detected_lineages }) => checkLineages(detected_lineages as readonly Lineage[])),
  "engine.get_all_batch_lineage_prefixes": ({ lineages }) => lineagePrefixes(lineages as readonly Lineage[]),
  "engine.get_reference_lineage": (input) => {
    const { lineage, support } = refusing(String(input.step_selector), () =>
      referenceLineage(
        input.all_data_derived_lineages as readonly Lineage[],
        input.all_control_flow_lineages as readonly Lineage[],
        fedLineage(input.input_data, input.dimensionality_reference_property),
      ),
    );
    return [lineage, support];
  },
  "engine.establish_step_execution_dimensionality": (input) =>
    executionDepth(
      Object.values(input.inputs_dimensionalities as RecordedObject).flatMap((set) => membersOf(set).map(Number)),
      input.control_flow_lineage_support as Lineage,
      Number(input.output_dimensionality_offset),
    ),

  "engine.get_masks_intersection_for_dimensions": ({ batch_masks, dimensions }) =>
    maskedBy(
      (batch_masks as readonly Recorded[]).map((mask) => membersOf(mask) as number[][]),
      membersOf(dimensions).map(Number),
    ),
  "engine.filter_to_valid_prefix_chains": ({ per_dim_sets, dimensions }) => {
    const sets = (per_dim_sets as RecordedObject).$entries as readonly (readonly [number, Recorded])[];
    return maskedBy(
      sets.map(([, set]) => membersOf(set) as number[][]),
      membersOf(dimensions).map(Number),
      sets.map(([depth]) => depth),
    );
  },

  "engine.create_array": ({ indices }) => nestFor((indices as RecordedObject).$ndarray as number[][]) ?? null,
  "engine.create_empty_index_array": ({ level }) => emptyNest(Number(level)),
  "engine.place_data_in_array": async ({ array, index, data }) => {
    placeInNest((await decodeValue(array!)) as unknown[], index as number[], data);
    return null;
  },

  "engine.assemble_runtime_parameters": async ({ runtime_parameters, defined_inputs }) => {
    const inputs = readInputs(defined_inputs as never, new Findings());
    const given = (await decodeGiven(runtime_parameters!)) as Record<string, unknown>;
    const values = await readRuntimeInputs(inputs, given, { newId: () => "00000000-0000-4000-8000-000000000001" });
    return Object.fromEntries(inputs.map(({ name }, at) => [name, values[at]]));
  },
};
