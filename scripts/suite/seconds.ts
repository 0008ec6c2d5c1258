export function toSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(6)} s`;
}
