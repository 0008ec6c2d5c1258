// published catalogue of blocks → manifests of the vision engine
//
//   node scripts/generate-manifests.ts workflow-blocks.json > packages/vision-engine/src/blocks/manifests/block-manifests.generated.jsonl
import { readFileSync } from "node:fs";
import type { BlockManifest, PropertyManifest } from "../packages/vision-engine/src/blocks/manifests/block-manifest.ts";

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

function toManifest(block: CatalogueBlock): BlockManifest {
  const reference = block.dimensionality_reference_property;
  return {
    type: block.type,
    ...unlessEmpty("aliases", block.aliases),
    name: block.title,
    family: block.family,
    properties: block.properties.map(toProperty),
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

function toProperty(property: CatalogueProperty): PropertyManifest {
  return {
    name: property.name,
    type: withConstraints(property.type, property.constraints ?? {}),
    ...(property.required ? { required: true } : {}),
    ...(property.default === undefined ? {} : { default: property.default }),
    ...unlessEmpty(
      "aliases",
      (property.aliases ?? []).filter((alias) => alias !== property.name),
    ),
  };
}

/** Some ranges stand beside the type in the catalogue; here they belong to it. */
function withConstraints(type: string, constraints: Readonly<Record<string, number>>): string {
  const limits = Object.entries(constraints).map(([word, limit]) => `${COMPARISONS[word] ?? `${word}=`}${limit}`);
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
