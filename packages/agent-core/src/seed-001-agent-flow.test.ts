import { describe, expect, it } from "vitest";
import type { TokenCounter } from "./context/token-counter.ts";
import { createWorkingContext } from "./context/working-context.ts";
import {
  createEnvironment,
  createEnvironmentBuilder,
  createReducerRegistry,
  type Environment,
  environmentFromJson,
  replayEnvironment,
} from "./environment.ts";
import { createCountingIds } from "./testing/counting-ids.ts";
import { createFakeClock } from "./testing/fake-clock.ts";
import { scriptedModel } from "./testing/scripted-model.ts";
import { createTestAgent, testMessage } from "./testing/test-agent.ts";
import { defineTool } from "./tools/tool.ts";
import type { AgentEvent } from "./types/events.ts";
import type { Json } from "./types/json.ts";
import { type Message, textOf } from "./types/message.ts";

const DIRECTORY_TREE = `
{
    "tree": [
        "hal/",
        "  ├── src/",
        "  │   ├── agent_flow/",
        "  │   │   └── mod.rs",
        "  │   ├── coder/",
        "  │   │   ├── executor.rs",
        "  │   │   └── session.rs",
        "  │   └── lib.rs",
        "  ├── docs/",
        "  │   └── agent-loop.md",
        "  ├── Cargo.toml"
    ]
}
`;
const PATHS = [
  "hal/",
  "hal/src/",
  "hal/src/agent_flow/",
  "hal/src/agent_flow/mod.rs",
  "hal/src/coder/",
  "hal/src/coder/executor.rs",
  "hal/src/coder/session.rs",
  "hal/src/lib.rs",
  "hal/docs/",
  "hal/docs/agent-loop.md",
  "hal/Cargo.toml",
];

const READ_CSV = `
{
    "path": "/Users/josh/data_analysis/sales_data.csv",
    "rows": 1250,
    "columns": ["date", "product", "region", "sales", "profit"],
    "sample": [
        {"date": "2025-01-15", "product": "WidgetA", "region": "North", "sales": 1200, "profit": 360},
        {"date": "2025-01-16", "product": "WidgetB", "region": "South", "sales": 950, "profit": 285}
    ]
}
`;
const ANALYZE_DATA = `
{
    "dataset": "sales_data.csv",
    "summary_stats": {
        "total_sales": 1250000,
        "avg_profit_margin": 0.28,
        "sales_by_region": {
            "North": 450000,
            "South": 380000,
            "East": 320000,
            "West": 100000
        }
    }
}
`;

type CodeDesign = {
  structs: {
    name: string;
    fields: { name: string; field_type: string; description: string }[];
    methods: string[];
  }[];
  design_patterns: string[];
};

const CODE_DESIGN: CodeDesign = {
  structs: [
    {
      name: "Environment",
      fields: [
        {
          name: "state",
          field_type: "serde_json::Value",
          description: "The underlying data store for environment state",
        },
      ],
      methods: ["update_from_tool_result(&mut self, tool_name: &str, result: &str) -> Result<(), AgentError>"],
    },
  ],
  design_patterns: ["Observer pattern for tool result updates"],
};

type Dataset = { name: string; rows: number; columns: string[]; summary_stats: { [name: string]: Json } };

const SALES_DATASET: Dataset = {
  name: "sales_data",
  rows: 1250,
  columns: ["date", "product", "region", "sales", "profit"],
  summary_stats: {},
};

/** The seed's simple token counter. */
const QUARTER: TokenCounter = { name: "len/4", text: (text) => Math.floor(text.length / 4) };

describe("basic agent execution", () => {
  it("AF-1 AF-2 AF-6 AF-17 an environment begins with the state that it is given", () => {
    const env = createEnvironment({ initial: { state: "initial" } });
    expect(env.get("/state")).toBe("initial");
    expect(env.toContext(100).text).toContain('/state: "initial"');
    env.set("/state", "working");
    expect(environmentFromJson(JSON.parse(JSON.stringify(env))).get("/state")).toBe("working");
    env.set("/nested", { deep: [1, { down: true }] });
    expect(env.get("/nested/deep/1/down")).toBe(true);
  });

  it("AF-24 AF-25 AF-42 builds prompts of 4,000 tokens from environment, history and template", async () => {
    const environment = createEnvironment({ initial: { state: "initial" } });
    const { profile } = scriptedModel([]);
    const context = createWorkingContext({
      environment,
      counter: QUARTER,
      profile: await profile("model_name"),
      budget: { window: 4_000, reserveOutput: 400 },
      template: "You are a helpful assistant.",
      ids: createCountingIds(),
      clock: createFakeClock(),
    });
    const request = await context.buildPrompt("Perform this task...");
    expect(request.system.map(({ text }) => text)).toEqual(["You are a helpful assistant."]);
    const sent = JSON.stringify(request.messages);
    expect(sent).toContain("Perform this task...");
    expect(sent).toContain("initial");
    context.updateEnvironment("directory_tree", DIRECTORY_TREE);
    expect(Object.keys(environment.state.workspace.files)).toEqual(PATHS);
    for (let at = 0; at < 60; at++) {
      context.addToHistory(answer(`a${at}`, `Done with ${at}.`));
      await context.buildPrompt(`Task ${at}: ${"word ".repeat(60)}`);
    }
    expect(context.tokenCount()).toBeLessThan(4_000);
  });

  it("AF-29 AF-31 AF-32 AF-42 executes a task and tells of thoughts and calls, however slowly they are read", async () => {
    const { executor, llm } = createTestAgent(
      [
        { thinking: "I should look first.", toolCalls: [{ name: "get_weather", args: { location: "San Francisco" } }] },
        { text: "It is sunny." },
      ],
      { tools: [WEATHER], environment: { initial: { state: "initial" } } },
    );
    const run = executor.execute(testMessage("Perform this task..."));
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ status: "finished", text: "It is sunny." });
    const told: string[] = [];
    for await (const event of run) told.push(...tell(event));
    expect(told).toEqual([
      "Agent thought: I should look first.",
      'Tool call: get_weather with args: {"location":"San Francisco"}',
    ]);
    expect(JSON.stringify(llm.requests[0]?.messages)).toContain("initial");
  });
});

describe("custom tool integration", () => {
  it("AF-26 AF-28 calls the seed's weather tool, and says what is wrong with other arguments", async () => {
    const { talk, llm } = createTestAgent(
      [
        { toolCalls: [{ name: "get_weather", args: { location: "Oslo" } }] },
        { toolCalls: [{ name: "get_weather", args: { location: 5 } }] },
        { text: "Sunny." },
      ],
      { tools: [WEATHER] },
    );
    await talk("What is the weather in Oslo?");
    const results = llm.requests[2]?.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool_result" ? [[part.outcome, textOf(part.content)] as const] : [])),
    );
    expect(results?.[0]).toEqual(["ok", '{"temperature":72,"conditions":"sunny","location":"Oslo"}']);
    expect(results?.[1]?.[0]).toBe("invalid_args");
    expect(results?.[1]?.[1]).toContain("location: expected string, got 5");
  });
});

describe("example usage: coding agent", () => {
  it("AF-5 AF-9 AF-11 AF-13 AF-14 AF-16 AF-40 runs as the seed writes it", () => {
    const env = codingEnvironment();
    env.updateFromToolResult("directory_tree", DIRECTORY_TREE);
    expect(Object.keys(env.state.workspace.files)).toEqual(PATHS);
    const { stepsCompleted } = env.state.task;
    env.update("task", { stepsCompleted: stepsCompleted + 1, currentStep: "Examine existing code" });
    env.setExtension("code_design", CODE_DESIGN);
    const design = env.getExtension<CodeDesign>("code_design");
    expect(`Designing struct: ${design?.structs[0]?.name}`).toBe("Designing struct: Environment");
    expect(env.state.task).toEqual({
      objective: "Implement Environment struct for agent_flow module",
      status: "in_progress",
      stepsCompleted: 1,
      stepsTotal: 4,
      currentStep: "Examine existing code",
    });
    expect(env.state.system.resources).toEqual({ memory_limit: "8GB", timeout: "3600s" });
  });

  it("AF-40 runs end to end: the tools change the world, the model is told, a later process finds it", async () => {
    const initial = codingEnvironment().state;
    const reducers = createReducerRegistry();
    const tools = [
      defineTool({
        name: "directory_tree",
        description: "Lists a folder.",
        parameters: { type: "object" },
        execute: () => DIRECTORY_TREE,
      }),
      defineTool({
        name: "set_design",
        description: "Notes the design.",
        parameters: { type: "object" },
        execute: () => ({
          content: [{ type: "text" as const, text: "Noted." }],
          env: [
            { op: "set" as const, path: "/extensions/code_design", value: CODE_DESIGN },
            { op: "set" as const, path: "/task/stepsCompleted", value: 1 },
            { op: "set" as const, path: "/task/currentStep", value: "Examine existing code" },
          ],
        }),
      }),
    ];
    const { talk, llm, options } = createTestAgent(
      [{ toolCalls: [{ name: "directory_tree" }] }, { toolCalls: [{ name: "set_design" }] }, { text: "Designed." }],
      { tools, environment: { initial, reducers } },
    );
    const { outcome } = await talk("Implement Environment struct for agent_flow module");
    expect(outcome).toMatchObject({ status: "finished", text: "Designed." });
    const seen = llm.requests.map(({ messages }) => JSON.stringify(messages));
    expect(seen[0]).toContain("Explore project structure");
    expect(seen[0]).not.toContain("mod.rs");
    expect(seen[1]).toContain("hal/src/agent_flow/mod.rs");
    expect(seen[2]).toContain("Observer pattern for tool result updates");
    const later = replayEnvironment(await options.sessions.read("s1"), { initial, reducers });
    expect(Object.keys(later.state.workspace.files)).toEqual(PATHS);
    expect(later.getExtension<CodeDesign>("code_design")).toEqual(CODE_DESIGN);
    expect(later.state.task).toMatchObject({ stepsCompleted: 1, currentStep: "Examine existing code" });
  });
});

describe("example usage: data analysis agent", () => {
  it("AF-41 runs as the seed writes it", () => {
    const env = dataEnvironment();
    env.updateFromToolResult("read_csv", READ_CSV);
    env.setExtension("datasets", { sales_data: SALES_DATASET });
    env.updateFromToolResult("analyze_data", ANALYZE_DATA);
    expect(env.state.task.status).toBe("not_started");
    const datasets = env.getExtension<{ [name: string]: Dataset }>("datasets");
    expect(`Analyzing ${datasets?.sales_data?.rows} rows of sales data`).toBe("Analyzing 1250 rows of sales data");
    expect(env.get("/knowledge/read_csv/columns/3")).toBe("sales");
    expect(env.get("/knowledge/analyze_data/summary_stats/sales_by_region/West")).toBe(100_000);
  });

  it("AF-41 runs end to end: results of tools that nobody knows stand in knowledge, and the model is told", async () => {
    const initial = dataEnvironment().state;
    const reducers = createReducerRegistry();
    const returning = (name: string, text: string) =>
      defineTool({ name, description: name, parameters: { type: "object" }, execute: () => JSON.parse(text) as Json });
    const { talk, llm, options } = createTestAgent(
      [
        { toolCalls: [{ name: "read_csv", args: { path: "/Users/josh/data_analysis/sales_data.csv" } }] },
        { toolCalls: [{ name: "analyze_data", args: { dataset: "sales_data.csv" } }] },
        { text: "North sold most: 450,000." },
      ],
      {
        tools: [returning("read_csv", READ_CSV), returning("analyze_data", ANALYZE_DATA)],
        environment: { initial, reducers },
      },
    );
    const { outcome } = await talk("Analyze sales data and create a report");
    expect(outcome).toMatchObject({ status: "finished", text: "North sold most: 450,000." });
    expect(JSON.stringify(llm.requests[2]?.messages)).toContain("avg_profit_margin");
    const later = replayEnvironment(await options.sessions.read("s1"), { initial, reducers });
    expect(later.get("/knowledge/read_csv/rows")).toBe(1250);
    expect(later.get("/knowledge/analyze_data")).toEqual(JSON.parse(ANALYZE_DATA));
  });
});

describe("results of directory_tree", () => {
  it.each<[string, Json]>([
    [
      "nested objects, as file servers give them",
      [
        {
          name: "hal",
          type: "directory",
          children: [
            { name: "src", type: "directory", children: [{ name: "lib.rs", type: "file" }] },
            { name: "Cargo.toml", type: "file" },
          ],
        },
      ],
    ],
    [
      "an object with a tree in it",
      { tree: { name: "hal", entries: [{ name: "src", files: ["lib.rs"] }, "Cargo.toml"] } },
    ],
    ["a list of paths", ["hal", "hal/src", "hal/src/lib.rs", "hal/Cargo.toml"]],
    ["a drawn tree as text", "hal\n├── src\n│   └── lib.rs\n└── Cargo.toml"],
  ])("AF-5 AF-12 puts %s into the workspace", (_, value) => {
    const env = createEnvironment();
    env.updateFromToolResult("directory_tree", typeof value === "string" ? value : JSON.stringify(value));
    expect(Object.keys(env.state.workspace.files)).toEqual(["hal", "hal/src", "hal/src/lib.rs", "hal/Cargo.toml"]);
  });
});

const WEATHER = defineTool({
  name: "get_weather",
  description: "Get the current weather for a location",
  parameters: {
    type: "object",
    properties: { location: { type: "string", description: "The location to get weather for" } },
    required: ["location"],
  },
  execute: ({ location }) => JSON.stringify({ temperature: 72, conditions: "sunny", location }),
});

function codingEnvironment(): Environment {
  return createEnvironmentBuilder()
    .system({
      workingDirectory: "/Users/josh/projects/hal",
      permissions: ["read", "write", "execute"],
      resources: { memory_limit: "8GB", timeout: "3600s" },
    })
    .task({
      objective: "Implement Environment struct for agent_flow module",
      status: "in_progress",
      stepsCompleted: 0,
      stepsTotal: 4,
      currentStep: "Explore project structure",
    })
    .build();
}

function dataEnvironment(): Environment {
  return createEnvironmentBuilder()
    .system({
      workingDirectory: "/Users/josh/data_analysis",
      permissions: ["read", "write"],
      resources: { memory_limit: "16GB", compute_units: "10" },
    })
    .task({
      objective: "Analyze sales data and create a report",
      status: "not_started",
      stepsCompleted: 0,
      stepsTotal: 5,
      currentStep: "Load and explore data",
    })
    .build();
}

function answer(id: string, text: string): Message {
  return { id, role: "assistant", origin: "model", ts: "2026-01-01T00:00:00.000Z", parts: [{ type: "text", text }] };
}

function tell(event: AgentEvent): readonly string[] {
  if (event.type === "thinking_delta") return [`Agent thought: ${event.text}`];
  if (event.type !== "tool_call") return [];
  return [`Tool call: ${event.call.toolName} with args: ${JSON.stringify(event.call.arguments)}`];
}
