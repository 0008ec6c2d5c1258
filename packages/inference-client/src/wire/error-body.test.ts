import { describe, expect, it } from "vitest";
import { parseErrorBody } from "./error-body.ts";

const parse = (body: unknown, status = 400) =>
  parseErrorBody(typeof body === "string" ? body : JSON.stringify(body), status, ["key-123"]);

describe("parseErrorBody", () => {
  it("reads the short shapes", () => {
    expect(parse({ message: "Empty image payload." }).message).toBe("Empty image payload.");
    expect(parse({ message: "m", help_url: "https://help" })).toMatchObject({ message: "m", helpUrl: "https://help" });
    expect(parse({ message: "m", error_type: "ProcessesManagerNotFoundError", inner_error_type: null })).toMatchObject({
      errorType: "ProcessesManagerNotFoundError",
    });
    expect(parse({ detail: { status: "error", message: "no logs" } }, 404).message).toBe("no logs");
  });

  it("reads the errors of workflows, block by block", () => {
    const parsed = parse({
      message: "Could not parse workflow definition. Details provided in inner error.",
      error_type: "WorkflowSyntaxError",
      context: "workflow_compilation | workflow_definition_parsing",
      inner_error_type: "ValidationError",
      inner_error_message: "1 validation error\nsteps.1.predictions\n  Field required",
      blocks_errors: [
        {
          block_id: "crop",
          block_type: "roboflow_core/dynamic_crop@v1",
          block_details: null,
          property_name: "predictions",
          property_details: "Field required",
          block_traceback: { traceback: "Traceback (most recent call last): /srv/secret.py" },
        },
      ],
    });
    expect(parsed.blocks).toEqual([
      { step: "crop", blockType: "roboflow_core/dynamic_crop@v1", property: "predictions", message: "Field required" },
    ]);
    expect(parsed.message).toContain("1 validation error · steps.1.predictions · Field required");
    expect(JSON.stringify(parsed)).not.toContain("Traceback");
  });

  it("drops the word None and never shows it as a reason", () => {
    const parsed = parse(
      { message: "None", error_type: "None", inner_error_message: "None", blocks_errors: null },
      500,
    );
    expect(parsed).toEqual({ message: "The server answered 500 without a reason.", blocks: [], isMissingRoute: false });
  });

  it("names the fields of a refused request without repeating what was sent", () => {
    const input = { api_key: "key-123", image: { value: "A".repeat(500) } };
    const parsed = parse(
      { detail: [{ type: "missing", loc: ["body", "image", 0, "type"], msg: "Field required", input }] },
      422,
    );
    expect(parsed.message).toBe("image.0.type: Field required");
  });

  it("cuts the list of all block types and long lists of fields", () => {
    const tags = Array.from({ length: 400 }, (_, n) => `'roboflow_core/block_${n}@v1'`).join(", ");
    const words = `Input tag 'nope' found using 'type' does not match any of the expected tags: ${tags}`;
    const { blocks } = parse({ message: "m", blocks_errors: [{ block_id: "det", property_details: words }] });
    expect(blocks[0]?.message).toBe(
      "Input tag 'nope' found using 'type' does not match any block that this server has.",
    );
    const detail = Array.from({ length: 300 }, (_, n) => ({ loc: ["body", `field_${n}`], msg: "wrong" }));
    expect(parse({ detail }, 422).message.length).toBeLessThan(420);
  });

  it("tells a missing path from a missing thing", () => {
    expect(parse({ detail: "Not Found" }, 404).isMissingRoute).toBe(true);
    expect(parse({ detail: "Method Not Allowed" }, 405).isMissingRoute).toBe(true);
    expect(parse({ message: "Could not find InferencePipeline" }, 404).isMissingRoute).toBe(false);
  });

  it("says what replaces a removed feature", () => {
    const body = {
      message: "Gaze detection",
      feature: "gaze",
      removal_release: "1.4",
      replacement: "a workflow",
      reason: "x",
    };
    expect(parse(body, 410).message).toBe("Gaze detection was removed. Use a workflow.");
  });

  it("reads plain text, leaves out pages, and hides keys in either", () => {
    expect(parse("Internal Server Error", 500).message).toBe("Internal Server Error");
    expect(parse("<html><body>Bad Gateway</body></html>", 502).message).toBe(
      "The server answered 502 without a reason.",
    );
    expect(parse("no such key key-123 at rtsp://u:p@cam/1", 400).message).toBe("no such key *** at rtsp://***@cam/1");
    expect(parse({ message: "Bearer key-123 refused" }, 401).message).toBe("Bearer *** refused");
    expect(parse("", 500).message).toBe("The server answered 500 without a reason.");
    expect(parse([1, 2], 500).message).toBe("[1,2]");
  });
});
