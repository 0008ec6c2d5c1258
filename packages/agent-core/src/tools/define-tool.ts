import type { Json, JsonSchema } from "../types/json.ts";
import type { DataSchema, Tool, ToolOutput, ToolReturn } from "./tool.ts";

/** What can be written as the schema of a tool's arguments. */
type SchemaLiteral = { readonly [key: string]: unknown };

type Simplify<T> = { readonly [Key in keyof T]: T[Key] };

type PropertiesOf<P, Required> = Simplify<
  { readonly [Key in keyof P as Key extends Required ? Key : never]: ArgumentsOf<P[Key]> } & {
    readonly [Key in keyof P as Key extends Required ? never : Key]?: ArgumentsOf<P[Key]>;
  }
>;

/** The TypeScript type of values that fit a JSON Schema literal; `Json` where the schema says too little. */
export type ArgumentsOf<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly type: "string" }
      ? string
      : S extends { readonly type: "number" | "integer" }
        ? number
        : S extends { readonly type: "boolean" }
          ? boolean
          : S extends { readonly type: "array"; readonly items: infer Item }
            ? readonly ArgumentsOf<Item>[]
            : S extends { readonly type: "object"; readonly properties: infer P }
              ? PropertiesOf<P, S extends { readonly required: readonly (infer Name)[] } ? Name : never>
              : Json;

/** A tool that declares its data always gives data. */
type OutputOf<O> = [O] extends [never] ? ToolOutput : O extends DataSchema<infer D> ? ToolReturn<D> : ToolOutput;

/**
 * A tool whose argument type is read off `parameters` and whose data type off `output`, so that they cannot differ.
 * The schema of the arguments is checked when the tool is added to a registry.
 */
export function defineTool<const S extends SchemaLiteral, O extends DataSchema = never>(
  tool: Omit<Tool<ArgumentsOf<S>, OutputOf<O>>, "parameters" | "output"> & {
    readonly parameters: S;
    readonly output?: O;
  },
): Tool<ArgumentsOf<S>> {
  return { ...tool, parameters: tool.parameters as unknown as JsonSchema };
}
