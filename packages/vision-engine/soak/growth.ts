// samples → by how much they grow in a minute
export type GrowthPoint = readonly [minute: number, value: number];

/** Change in a minute: the median of the slopes between any two points, which single outliers do not move. */
export function growthOf(points: readonly GrowthPoint[]): number {
  const slopes = points.flatMap(([x, y], at) =>
    points.slice(at + 1).map(([laterX, laterY]) => (laterY - y) / (laterX - x)),
  );
  slopes.sort((a, b) => a - b);
  const middle = slopes.length / 2;
  return (slopes[Math.floor(middle - 0.5)]! + slopes[Math.floor(middle)]!) / 2;
}

/** The least of each half minute: what is left when garbage has been collected. */
export function lowPointsOf(points: readonly GrowthPoint[]): readonly GrowthPoint[] {
  const halves = Map.groupBy(points, ([minute]) => Math.floor(2 * minute));
  return [...halves.values()].map((half) => half.reduce((low, point) => (point[1] < low[1] ? point : low)));
}
