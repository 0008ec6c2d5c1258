// lineages that meet in one step → refused when they do not belong together
import { Refusal } from "../findings.ts";
import { type Lineage, longestLineage, sameLineage } from "./lineage.ts";

/** At most two levels meet in a step, one lineage at each, the shorter the beginning of the longer. Throws `Refusal`. */
export function checkLineages(step: string, lineages: readonly Lineage[]): void {
  const refuse = (message: string): never => {
    throw new Refusal("lineage", message, { step });
  };
  const lengths = [...new Set(lineages.map(({ length }) => length))].sort((a, b) => a - b);
  if (lengths.length > 2) refuse("Inputs of more than two depths meet here.");
  for (const length of lengths) {
    const same = lineages.filter((lineage) => lineage.length === length);
    if (same.length > 1) refuse(`Inputs that do not belong together meet here: ${same.map(inWords).join("; ")}.`);
  }
  if (lengths.length < 2) return;
  const [shorter, longer] = [...lineages].sort((a, b) => a.length - b.length);
  if (!sameLineage(shorter!, longer!.slice(0, -1))) {
    refuse(`Inputs that do not belong together meet here: ${inWords(shorter!)}; ${inWords(longer!)}.`);
  }
}

/** What the outputs of a step follow. */
export interface ReferenceLineage {
  /** Lineage of the outputs before the block's offset. */
  readonly lineage: Lineage;
  /** Set when only gates, no data, give the step its elements. */
  readonly support: Lineage;
}

/** Of several lineages that of the reference property counts; without data the deepest gate. Throws `Refusal`. */
export function referenceLineage(
  step: string,
  {
    data,
    control,
    reference,
  }: { data: readonly Lineage[]; control: readonly Lineage[]; reference: Lineage | undefined },
): ReferenceLineage {
  if (data.length === 1) return { lineage: data[0]!, support: [] };
  if (data.length > 1) {
    if (reference !== undefined && reference.length > 0) return { lineage: reference, support: [] };
    throw new Refusal("controlLineages", "The depth of the outputs cannot be told.", { step });
  }
  const deepest = longestLineage(control) ?? [];
  if (control.filter(({ length }) => length === deepest.length).length > 1) {
    throw new Refusal("controlLineages", "Gates that look at data of different origin meet here.", { step });
  }
  return { lineage: deepest, support: deepest };
}

function inWords(lineage: Lineage): string {
  return lineage.join(" → ");
}
