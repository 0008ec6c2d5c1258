import { describe, expect, it } from "vitest";
import { VectorScan } from "./vector-scan.ts";

const DIMENSIONS = 64;
const EVERYTHING = { firstId: 0, lastId: Number.MAX_SAFE_INTEGER };

describe("VectorScan", () => {
  const random = createRandom(5);
  const vectors = Array.from({ length: 6000 }, () => unitVector(random));
  const scan = new VectorScan(DIMENSIONS);
  for (const [id, vector] of vectors.entries()) scan.set(id, id % 3, vector);

  it("finds nearly all that comparing every whole vector finds, also beyond what it compares closely", () => {
    let found = 0;
    for (let round = 0; round < 20; round += 1) {
      const question = unitVector(random);
      const exact = vectors.map((vector, id) => ({ id, similarity: dot(vector, question) }));
      const wanted = exact.toSorted((a, b) => b.similarity - a.similarity).slice(0, 10);
      const near = scan.nearest(question, EVERYTHING, 10);
      found += wanted.filter(({ id }) => near.some((one) => one.id === id)).length;
      for (const { id, similarity } of near) expect(similarity).toBeCloseTo(exact[id]!.similarity, 1);
    }
    expect(found / 200).toBeGreaterThanOrEqual(0.95);
  });

  it("keeps to ids and cameras", () => {
    const near = scan.nearest(vectors[0]!, { firstId: 100, lastId: 199, cameraNumber: 1 }, 1000);
    expect(near.map(({ id }) => id).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, index) => 100 + index).filter((id) => id % 3 === 1),
    );
  });

  it("holds one vector for each id, the last", () => {
    const small = new VectorScan(DIMENSIONS);
    const [first, second] = [unitVector(random), unitVector(random)];
    small.set(7, 0, first);
    small.set(7, 0, second);
    const near = small.nearest(second, EVERYTHING, 10);
    expect(near).toHaveLength(1);
    expect(near[0]!.similarity).toBeCloseTo(1, 1);
    expect(new VectorScan(DIMENSIONS).nearest(second, EVERYTHING, 10)).toEqual([]);
  });

  it("refuses vectors that its words of bits do not fit", () => {
    expect(() => new VectorScan(100)).toThrow(RangeError);
  });
});

function unitVector(random: () => number): Float32Array {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * b[at]!, 0);
}

/** Numbers from 0 to 1, the same at every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
