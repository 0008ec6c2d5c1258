import type { AppCommand } from "./app-commands.ts";
import type { AskFlags, BackendFlags, ChatFlags, InitFlags, JsonFlags, ParityFlags, ServeFlags } from "./app-flags.ts";
import type { EvalFlags } from "./eval-command.ts";

/** What the commands do; each resolves with the exit code. */
export interface Commands {
  /** The command without a word: what `interface.type` says. */
  open(flags: ServeFlags): Promise<number>;
  serve(flags: ServeFlags): Promise<number>;
  chat(flags: ChatFlags): Promise<number>;
  ask(text: string, flags: AskFlags): Promise<number>;
  app(command: AppCommand, flags: JsonFlags): Promise<number>;
  models(flags: JsonFlags): Promise<number>;
  doctor(flags: JsonFlags): Promise<number>;
  init(flags: InitFlags): Promise<number>;
  listBackends(flags: BackendFlags): Promise<number>;
  compareBackends(flags: ParityFlags): Promise<number>;
  evaluate(flags: EvalFlags): Promise<number>;
}

/** Runs a command once everything is loaded, and keeps its exit code. */
export type CommandRunner = (work: (commands: Commands) => Promise<number>) => Promise<void>;
