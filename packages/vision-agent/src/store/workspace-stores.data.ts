/**
 * Everything that the app writes into its workspace. What comes from cameras can be forgotten: `forgets` names the store
 * that does it. `keeps` says why there is nothing to forget.
 */
export const WORKSPACE_STORES = {
  artifacts: { forgets: "pictures" },
  events: { forgets: "events" },
  "events/alerts.jsonl": { forgets: "alerts" },
  "events/decisions.jsonl": { forgets: "alerts" },
  trace: { forgets: "seconds of the trace" },
  "events/removed.jsonl": { keeps: "days and numbers of what was removed, without content" },
  recordings: { forgets: "recordings" },
  sessions: { forgets: "conversations" },
  "forget.json": { keeps: "what waits to be forgotten: names of cameras, times and ids" },
  memory: { forgets: "notes" },
  ".index": { forgets: "notes" },
  ".index/events.sqlite": { forgets: "events" },
  "USER.md": { keeps: "written by the owner, and what they like" },
  "changes.jsonl": { forgets: "changes" },
  "undo.jsonl": { forgets: "changes to undo" },
  "undo-open.json": { keeps: "a change under way: watches, cameras, places and settings as they were" },
  egress: { forgets: "departures" },
  "jobs.jsonl": { forgets: "task answers" },
  "egress.json": { keeps: "names of cameras and hosts" },
  "active_state.json": { keeps: "what runs and what is watched, as the owner wanted it" },
  "server_pipelines.json": { keeps: "ids of pipelines on servers" },
  "usage.jsonl": { keeps: "numbers" },
  "spending.jsonl": { keeps: "numbers" },
  "masks.json": { keeps: "which parts of a camera's picture nobody may see" },
  "credentials.json": { keeps: "passwords of addresses" },
  "destinations.json": { keeps: "addresses, files and services that the owner approved" },
  "server.json": { keeps: "where the running app listens" },
  "accounts.json": { keeps: "names of people and hashes of passwords" },
  "logins.json": { keeps: "logins of browsers" },
  "audit.jsonl": { keeps: "who changed what, without what cameras showed" },
  ".lock": { keeps: "who has the workspace open" },
  logs: { keeps: "starts, stops and problems; neither pictures nor what was seen" },
  cache: { keeps: "descriptions of blocks" },
  workflows: { keeps: "workflows as they were saved elsewhere" },
  models: { keeps: "weights of models" },
  skills: { keeps: "instructions" },
  sinks: { keeps: "files that the owner's own workflows write; they are told of, and removed by hand" },
  ".chat_history": { keeps: "what the owner typed" },
  ".env": { keeps: "keys" },
  "config.yaml": { keeps: "settings" },
  "CAMERAS.md": { keeps: "written by the owner" },
  "PLACES.md": { keeps: "names and points of zones and lines" },
  "HEARTBEAT.md": { keeps: "written by the owner" },
  "AGENTS.md": { keeps: "written by the owner" },
} as const satisfies Readonly<Record<string, { readonly forgets: string } | { readonly keeps: string }>>;

type Entry = (typeof WORKSPACE_STORES)[keyof typeof WORKSPACE_STORES];
/** Every store that must be able to forget. */
export type ForgetfulName = Extract<Entry, { readonly forgets: string }>["forgets"];
