const SIMULATED = "sim/truth";

/** Models by name; a simulated one is called so, that nobody takes it for a detector. */
export function describeModels(models: readonly string[]): string {
  return models
    .map((id) => (id === SIMULATED ? `${id} (simulated: reads the scene's script, looks at no pixels)` : id))
    .join(", ");
}
