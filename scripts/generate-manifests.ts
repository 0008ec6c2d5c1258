// published catalogue of blocks → manifests of the vision engine
//
//   node scripts/generate-manifests.ts workflow-blocks.json > packages/vision-engine/src/blocks/manifests/block-manifests.generated.jsonl
import { readFileSync } from "node:fs";
import type { BlockManifest, PropertyManifest } from "../packages/vision-engine/src/blocks/block.ts";

interface CatalogueProperty {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly default?: PropertyManifest["default"];
  readonly aliases?: string[];
  readonly constraints?: Readonly<Record<string, number>>;
}

interface CatalogueBlock {
  readonly type: string;
  readonly aliases: string[];
  readonly title: string;
  readonly family: string;
  readonly properties: readonly CatalogueProperty[];
  readonly outputs: readonly { readonly name: string; readonly kind: readonly string[] }[];
  readonly dynamic_outputs: boolean;
  readonly output_dimensionality_offset: number;
  readonly input_dimensionality_offsets: Readonly<Record<string, number>>;
  readonly dimensionality_reference_property: string | null;
  readonly batch_params: string[];
  readonly batch_or_scalar_params: string[];
  readonly auto_batch_cast_params: string[];
  readonly accepts_empty: boolean;
}

const COMPARISONS: Readonly<Record<string, string>> = { ge: ">=", gt: ">", le: "<=", lt: "<", min_length: "items>=" };

/** Ranges that a Roboflow server checks but its catalogue does not tell: `type property` → limits. */
const UNWRITTEN_LIMITS: Readonly<Record<string, string>> = {
  "roboflow_core/frame_delay@v1 offset": ">=-256,<=0",
  "roboflow_core/image_stack@v1 resolution_height": ">=64,<=1080",
  "roboflow_core/image_stack@v1 resolution_width": ">=64,<=1920",
  "roboflow_core/image_stack@v1 stack_size": ">=1,<=64",
  "roboflow_core/local_file_sink@v1 max_entries_per_file": ">=1",
  "roboflow_core/mask_edge_snap@v1 adaptive_window_size": ">=3,<=201",
  "roboflow_core/mask_edge_snap@v1 boundary_band_width": ">=1,<=100",
  "roboflow_core/mask_edge_snap@v1 dilation_iterations": ">=0,<=20",
  "roboflow_core/mask_edge_snap@v1 min_contour_area": ">=0,<=10000",
  "roboflow_core/mask_edge_snap@v1 pixel_tolerance": ">=1,<=100",
  "roboflow_core/mask_edge_snap@v1 sigma": ">=0.01,<=10",
  "roboflow_core/reference_path_visualization@v1 thickness": ">0",
  "roboflow_core/s3_sink@v1 max_entries_per_file": ">=1",
  "roboflow_core/slack_notification@v1 cooldown_seconds": ">=0,<=900",
  "roboflow_core/stitch_ocr_detections@v1 tolerance": ">0",
  "roboflow_core/stitch_ocr_detections@v2 tolerance": ">0",
  "roboflow_core/trace_visualization@v1 thickness": ">=1",
  "roboflow_core/trace_visualization@v1 trace_length": ">=1",
  "roboflow_core/twilio_sms_notification@v1 cooldown_seconds": ">=0,<=900",
  "roboflow_core/twilio_sms_notification@v1 length_limit": ">0",
};

function toManifest(block: CatalogueBlock): BlockManifest {
  const reference = block.dimensionality_reference_property;
  return {
    type: block.type,
    ...unlessEmpty("aliases", block.aliases),
    name: block.title,
    family: block.family,
    properties: block.properties.map((property) => toProperty(block.type, property)),
    outputs: block.outputs.map(({ name, kind }) => ({ name, kinds: kind })),
    ...(block.dynamic_outputs ? { dynamicOutputs: true } : {}),
    ...(block.output_dimensionality_offset === 0
      ? {}
      : { outputDimensionalityOffset: block.output_dimensionality_offset }),
    ...(Object.keys(block.input_dimensionality_offsets).length === 0
      ? {}
      : { inputDimensionalityOffsets: block.input_dimensionality_offsets }),
    ...(reference === null ? {} : { dimensionalityReferenceProperty: reference }),
    ...unlessEmpty("batchProperties", block.batch_params),
    ...unlessEmpty("batchOrScalarProperties", block.batch_or_scalar_params),
    ...unlessEmpty("autoBatchCastProperties", block.auto_batch_cast_params),
    ...(block.accepts_empty ? { acceptsEmpty: true } : {}),
  };
}

function toProperty(blockType: string, property: CatalogueProperty): PropertyManifest {
  const limits = Object.entries(property.constraints ?? {}).map(
    ([word, limit]) => `${COMPARISONS[word] ?? `${word}=`}${limit}`,
  );
  const unwritten = UNWRITTEN_LIMITS[`${blockType} ${property.name}`];
  return {
    name: property.name,
    type: withLimits(property.type, unwritten === undefined ? limits : [unwritten]),
    ...(property.required ? { required: true } : {}),
    ...(property.default === undefined ? {} : { default: property.default }),
    ...unlessEmpty(
      "aliases",
      (property.aliases ?? []).filter((alias) => alias !== property.name),
    ),
  };
}

/** Some ranges stand beside the type in the catalogue; here they belong to it. */
function withLimits(type: string, limits: readonly string[]): string {
  if (limits.length === 0 || type.includes("{")) return type;
  return type.replace(/(^|\| )(int|float|list\[str\])(?= \||$)/g, `$1$2{${limits.join(",")}}`);
}

function unlessEmpty<Name extends string>(name: Name, values: string[]): Partial<Record<Name, string[]>> {
  return values.length === 0 ? {} : ({ [name]: values } as Record<Name, string[]>);
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("Name the catalogue: node scripts/generate-manifests.ts workflow-blocks.json");
const catalogue: readonly CatalogueBlock[] = JSON.parse(readFileSync(path, "utf8"));
for (const block of catalogue) process.stdout.write(`${JSON.stringify(toManifest(block))}\n`);
