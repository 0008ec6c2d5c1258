import { describe, expect, it } from "vitest";
import { DetectionTable } from "../../frames/detections.ts";
import { Timestamp } from "../../frames/frame.ts";
import { BlockBatch } from "../block.ts";
import { imageOf, openBlock } from "../track/__fixtures__/open-block.ts";
import { csvFormatter } from "./csv-formatter.ts";
import { extractJsonPayload, jsonParser, salvageBoxes } from "./json-parser.ts";
import { formatValue } from "./python-format.ts";
import { stitchByFollowing, stitchByGaps } from "./stitch-ocr-detections.ts";
import { currentTime, stringTemplate } from "./string-template.ts";
import { claudeUploadSize, vlmAsDetectorV2 } from "./vlm-as-detector.ts";

describe("formats", () => {
  it.each([
    [1234.5, ",.2f", "1,234.50"],
    [0.125, ".2f", "0.12"],
    [0.256, ".1%", "25.6%"],
    [42, "06d", "000042"],
    [255, "#x", "0xff"],
    [1e-7, "g", "1e-07"],
    ["ab", "*^6", "**ab**"],
    [new Timestamp("2026-03-01T08:05:09.25+01:00"), "%d %b %H:%M", "01 Mar 08:05"],
  ])("write %s as %s: %s", (value, specification, text) => {
    expect(formatValue(value, specification)).toBe(text);
  });

  it("refuse a specification that is none, or not for the value", () => {
    expect(() => formatValue("text", ".2f")).toThrow("cannot be written as a number");
    expect(() => formatValue(1.5, "d")).toThrow("decimals");
    expect(() => formatValue([1], ">5")).toThrow("cannot be written");
  });
});

describe("string template", () => {
  it("writes the floats that operations give with their point", async () => {
    const run = await openBlock(stringTemplate);
    const data_operations = { share: [{ type: "Divide", other: 2 }] };
    expect(await run({ template: "{share} of {{all}}", data: { share: 6 }, data_operations })).toEqual({
      output: "3.0 of {all}",
    });
  });

  it("refuses texts of a million characters", async () => {
    const run = await openBlock(stringTemplate);
    await expect(run({ template: "{a}{a}", data: { a: "x".repeat(600_000) } })).rejects.toThrow("1000000 are allowed");
  });
});

describe("CSV", () => {
  it("keeps the order of the columns and disarms what a spreadsheet would run", async () => {
    const run = await openBlock(csvFormatter, { now: Date.parse("2026-01-01T00:00:00Z") });
    const { csv_content } = await run({ columns_data: { b: "=1+1", a: 'say "hi", twice', c: null } });
    expect(csv_content).toBe(`b,a,c,timestamp\n'=1+1,"say ""hi"", twice",,2026-01-01T00:00:00.000000+00:00\n`);
  });

  it("puts the rows of a batch into its last element", async () => {
    const run = await openBlock(csvFormatter);
    const results = await run({ columns_data: { n: new BlockBatch([1, 2.5]), site: "A" } });
    expect(results).toMatchObject([
      { csv_content: null },
      { csv_content: expect.stringMatching(/^n,site,timestamp\n1\.0,A,.*\n2\.5,A,/) },
    ]);
  });
});

describe("current time", () => {
  it.each([
    ["UTC", "2026-07-01T12:00:00.250000+00:00"],
    ["America/St_Johns", "2026-07-01T09:30:00.250000-02:30"],
    ["Asia/Kathmandu", "2026-07-01T17:45:00.250000+05:45"],
    ["Etc/GMT+12", "2026-07-01T00:00:00.250000-12:00"],
  ])("in %s is %s", async (timezone, iso) => {
    const run = await openBlock(currentTime, { now: Date.parse("2026-07-01T12:00:00.250Z") });
    expect(await run({ timezone })).toMatchObject({ iso_string: iso, date: iso.slice(0, 10), time: iso.slice(11, 19) });
  });
});

describe("JSON of a language model", () => {
  it("is found among brackets inside of texts", () => {
    expect(extractJsonPayload('{"a": "}"} {"b": "\\"]"}')).toEqual([{ a: "}" }, { b: '"]' }]);
    expect(extractJsonPayload(undefined)).toBeUndefined();
  });

  it("gives up the complete boxes of an answer that was cut off", () => {
    const text = '[{"label":"a","x_min":1,"y_min":2,"x_max":3,"y_max":4},{"label":"b","x_min":1,"y_m';
    expect(salvageBoxes(text)).toMatchObject([{ label: "a" }]);
  });

  it("has outputs named after the fields that are asked for", async () => {
    const expected_fields = ["count"];
    expect(jsonParser.outputs!({ name: "s", properties: { expected_fields } })).toEqual([
      { name: "count", kinds: ["*"] },
    ]);
    const run = await openBlock(jsonParser);
    expect(await run({ raw_json: "[1]", expected_fields })).toEqual({ count: null, error_status: true });
  });

  it("never stops a workflow, whatever it says", async () => {
    const run = await openBlock(vlmAsDetectorV2);
    for (const vlm_output of ["", "null", '{"detections": 5}', "[[[", null]) {
      for (const model_type of ["openai", "anthropic-claude", "florence-2", "muse", "other"]) {
        const result = run({
          image: imageOf(),
          vlm_output,
          classes: ["cat"],
          model_type,
          task_type: "object-detection",
        });
        await expect(result).resolves.toMatchObject({ error_status: true, predictions: null });
      }
    }
  });
});

describe("letters", () => {
  it("fall into words where the gaps are wide", () => {
    expect(stitchByGaps(letters("GO ON"), "left_to_right", 1, "")).toBe("GO ON");
    expect(stitchByGaps(letters("GOON"), "left_to_right", 1, "")).toBe("GOON");
  });

  it("that rise along a line stay on it", () => {
    expect(stitchByFollowing(letters("SLANT", 6), "left_to_right", 2, "")).toBe("SLANT");
  });
});

describe("the size of an upload", () => {
  it("keeps the shape within Claude's tiles", () => {
    expect(claudeUploadSize({ width: 800, height: 600 })).toEqual({ width: 800, height: 600 });
    const { width, height } = claudeUploadSize({ width: 6000, height: 3000 });
    expect(Math.ceil(width / 28) * Math.ceil(height / 28)).toBeLessThanOrEqual(4784);
    expect(width / height).toBeCloseTo(2, 2);
  });
});

/** Boxes of 10 × 12 pixels, one for each character; a space leaves its place empty. */
function letters(text: string, rise = 0): DetectionTable {
  const placed = [...text]
    .map((letter, at) => ({ letter, x: 12 * at, y: 50 - rise * at }))
    .filter(({ letter }) => letter !== " ");
  return new DetectionTable({
    xyxy: Float64Array.from(placed.flatMap(({ x, y }) => [x, y, x + 10, y + 12])),
    data: { class_name: placed.map(({ letter }) => letter) },
  });
}
