/** The detector that is used on a camera unless a person names another: scenes tell their own truth, others are looked at. */
export function detectorFor(address: string): string {
  return /^sim:/i.test(address.trim()) ? "sim/truth" : "vision-agent/default";
}
