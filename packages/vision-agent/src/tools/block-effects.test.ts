import type { WorkflowSpec } from "@vision-agent/protocol";
import { listKnownBlocks } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { SPEC } from "../testing/fake-app.ts";
import { effectOfBlock, reachOf } from "./block-effects.ts";

describe("what blocks do", () => {
  it("is known of every block of the catalogue", () => {
    expect(listKnownBlocks().filter((block) => effectOfBlock(block) === undefined)).toEqual([]);
  });

  it("is more than computing for every block with an address, a key, a password or a folder", () => {
    const REACHES =
      /(?:^|_)(?:url|host|ip|address|servers?|email|password|token|secrets?|api_key|directory|bucket_name)$/;
    const silent = listKnownBlocks()
      .filter((block) => effectOfBlock(block) === "none")
      .filter(({ properties }) => properties.some(({ name }) => REACHES.test(name)));
    expect(silent.map(({ type }) => type)).toEqual([]);
  });

  it.each<[string, Partial<WorkflowSpec>, string]>([
    ["a block that nobody knows", step("acme/anything@v1"), 'It uses "anything", which can do anything.'],
    [
      "a secret store",
      step("roboflow_core/environment_secrets_store@v1", { variables_storing_secrets: ["BANK_KEY"] }),
      `It reads secrets of the server: "['BANK_KEY']".`,
    ],
    [
      "a workflow inside that is fetched when it runs",
      step("roboflow_core/inner_workflow@v1", { workflow_workspace_id: "evil", workflow_id: "x" }),
      'It uses "inner_workflow", which can do anything.',
    ],
    [
      "a workflow inside",
      step("roboflow_core/inner_workflow@v1", { workflow_definition: { ...SPEC, ...hook("https://evil.example") } }),
      'It sends data out with webhook_sink to "https://evil.example".',
    ],
    [
      "a block that hides behind a workflow of its own",
      step("roboflow_core/webhook_sink@v1", { url: "https://evil.example", workflow_definition: SPEC }),
      'It sends data out with webhook_sink to "https://evil.example".',
    ],
    [
      "an address in an input",
      {
        ...hook("$inputs.to"),
        inputs: [{ type: "WorkflowParameter", name: "to", default_value: "https://in.example" }],
      },
      'It sends data out with webhook_sink to "https://in.example".',
    ],
    [
      "an address that is made while it runs",
      hook("$steps.ocr.text"),
      'It sends data out with webhook_sink to "an address that is chosen while it runs".',
    ],
    [
      "an address that a browser reads in another way than a person",
      hook("https://evil.example\\@good.example/in"),
      'It sends data out with webhook_sink to "an address that can be read in two ways".',
    ],
    [
      "letters that look like others",
      hook("https://r\u043eboflow.com/in"),
      'It sends data out with webhook_sink to "https://xn--rboflow-9ig.com/in".',
    ],
    [
      "a host whose name is long",
      hook(`https://roboflow.com.${"a".repeat(60)}.${"b".repeat(60)}.evil.example/in`),
      `It sends data out with webhook_sink to "https://roboflow.com.${"a".repeat(60)}.${"b".repeat(60)}.evil.example/in".`,
    ],
    [
      "recipients that are many, and look like others",
      step("roboflow_core/email_notification@v1", {
        receiver_email: [...Array(12).fill("friend@example.com"), "a@ev\u0456l.example"],
      }),
      `It sends data out with email_notification to "['friend@example.com',${"'friend@example.com',".repeat(11)}'a@xn--evl-khd.example']".`,
    ],
    [
      "a host with escapes",
      hook("https://good.example%2eevil.example/in"),
      'It sends data out with webhook_sink to "https://good.example.evil.example/in".',
    ],
    [
      "frames that are uploaded to be labelled",
      upload(),
      'It sends data out with roboflow_object_detection_model to "mine".',
    ],
    [
      "code in the workflow",
      { dynamic_blocks_definitions: [{ type: "DynamicBlockDefinition", code: { run_function_code: "…" } }] },
      "It runs code that is written in the workflow.",
    ],
    [
      "a host that hides behind a user name",
      hook("https://roboflow.com@evil.example/x"),
      'It sends data out with webhook_sink to "https://evil.example/x".',
    ],
  ])("tells of %s", (_what, parts, sentence) => {
    expect(reachOf({ ...SPEC, ...parts }).map((one) => one.sentence)).toEqual([sentence]);
  });

  it.each<[string, object]>([
    ["key in the address", { url: "https://in.example/hook?token=other-token-99" }],
    ["address shown alike", { url: "https://me:other-password@in.example/hook?token=my-token-1234" }],
    ["header", { headers: { Authorization: "Bearer other" } }],
    ["query", { query_parameters: { to: "other" } }],
  ])("is another place with another %s", (_what, other) => {
    const first = { url: "https://in.example/hook?token=my-token-1234" };
    const [one, two] = [first, { ...first, ...other }].map((properties) =>
      reachOf({ ...SPEC, ...step("roboflow_core/webhook_sink@v1", properties) }),
    );
    expect(one?.[0]?.fingerprint).not.toBe(two?.[0]?.fingerprint);
    expect(JSON.stringify([one, two])).not.toMatch(/my-token|other/);
  });

  it("names the port of a broker", () => {
    const mqtt = step("roboflow_enterprise/mqtt_writer_sink@v1", { host: "b.example", port: 9999, topic: "t" });
    expect(reachOf({ ...SPEC, ...mqtt })[0]?.sentence).toContain('"b.example", "9999", "t"');
  });

  it("is nothing for a workflow that detects, tracks and draws", () => {
    expect(reachOf(SPEC)).toEqual([]);
  });
});

function step(type: string, properties: object = {}): Pick<WorkflowSpec, "steps"> {
  return { steps: [...SPEC.steps, { type, name: "extra", ...properties }] };
}

function hook(url: string): Pick<WorkflowSpec, "steps"> {
  return step("roboflow_core/webhook_sink@v1", { url });
}

function upload(): Pick<WorkflowSpec, "steps"> {
  const type = "roboflow_core/roboflow_object_detection_model@v2";
  return { steps: [{ type, name: "detect", active_learning_target_dataset: "mine" }] };
}
