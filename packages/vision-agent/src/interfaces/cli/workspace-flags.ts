import type { Command } from "commander";

/** What every command takes that is about a workspace. */
export function withJson(command: Command): Command {
  return command.option("--workspace <dir>", "folder where everything is kept").option("--json", "print JSON", false);
}
