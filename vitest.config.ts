import { defineConfig } from "vitest/config";

const outside = ["**/node_modules/**", "**/dist/**", "**/.runtime/**"];
const slow = ["e2e", "conformance", "fault", "rtsp", "security", "live"].map((kind) => `**/*.${kind}.test.ts`);

export default defineConfig({
  test: {
    // One for each core, also where there are two: most of the time goes into loading each file's parts.
    maxWorkers: "100%",
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "packages/*/src/**/*.test.{ts,tsx}",
            "examples/**/*.test.ts",
            "scripts/**/*.test.ts",
            "bench/**/*.test.ts",
          ],
          exclude: [...outside, ...slow],
          // Files share a worker's modules, which takes a third of the time: nothing here keeps state outside its arguments.
          isolate: false,
          testTimeout: 20_000,
        },
      },
      { test: { name: "checks", include: ["checks/**/*.test.ts"], exclude: outside, testTimeout: 60_000 } },
      {
        test: {
          name: "e2e",
          include: ["**/*.e2e.test.ts"],
          exclude: outside,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      { test: { name: "conformance", include: ["**/*.conformance.test.ts"], exclude: outside, testTimeout: 120_000 } },
      {
        test: {
          name: "rtsp",
          include: ["**/*.rtsp.test.ts"],
          exclude: outside,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "security",
          include: ["**/*.security.test.ts"],
          exclude: outside,
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "fault",
          include: ["**/*.fault.test.ts"],
          exclude: outside,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "live",
          include: ["**/*.live.test.ts"],
          exclude: outside,
          globalSetup: "scripts/live/live-setup.ts",
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
