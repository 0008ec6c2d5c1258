import type { Command } from "commander";

/** What every command takes that is about a workspace. */
export function withJson(command: Command): Command {
  return command.option("--workspace <dir>", "folder for all data and settings").option("--json", "print JSON", false);
}
