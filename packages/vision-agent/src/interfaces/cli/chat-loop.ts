// lines of a person → turns with the assistant
import type { HouseClient } from "./house-client.ts";
import { type Colours, createRunPrinter } from "./print-run.ts";

export interface ChatOptions {
  readonly client: HouseClient;
  readonly pictureAt: (artifactId: string) => string;
  readonly write: (text: string) => void;
  readonly colours: Colours;
  readonly readFile: (path: string) => Promise<Uint8Array>;
}

/** One conversation in a terminal. */
export interface Chat {
  /** Takes one line to its end. `quit` means that the person wants to leave. Never rejects. */
  line(text: string): Promise<"go_on" | "quit">;
  /** Ctrl-C: stops the turn that is going on. False when nothing was going on, or it was being stopped already. */
  interrupt(): boolean;
}

const HELP = "/image FILE adds a picture to the next message, /status, /usage, /quit; Ctrl-C stops the turn.";

export class TerminalChat implements Chat {
  readonly #options: ChatOptions;
  #session: string | undefined;
  #images: string[] = [];
  #turn: { runId?: string; stopping: boolean } | undefined;

  constructor(options: ChatOptions) {
    this.#options = options;
  }

  async line(text: string): Promise<"go_on" | "quit"> {
    const words = text.trim();
    const [command = "", ...rest] = words.split(/\s+/);
    try {
      if (command === "/quit" || command === "/exit") return "quit";
      if (command.startsWith("/")) await this.#command(command, words.slice(command.length).trim() || rest.join(" "));
      else if (words !== "") await this.#say(words);
    } catch (error) {
      this.#note(this.#options.colours.red(error instanceof Error ? error.message : String(error)));
    }
    return "go_on";
  }

  interrupt(): boolean {
    const turn = this.#turn;
    if (turn === undefined || turn.stopping) return false;
    turn.stopping = true;
    if (turn.runId !== undefined) this.#cancel(turn.runId);
    return true;
  }

  async #say(text: string): Promise<void> {
    const { client } = this.#options;
    const turn: { runId?: string; stopping: boolean } = { stopping: false };
    this.#turn = turn;
    const images = this.#images.splice(0);
    const print = createRunPrinter({ ...this.#options, say: this.#options.write, note: (line) => this.#note(line) });
    try {
      this.#session ??= await client.createSession();
      for await (const event of client.say(this.#session, { text, ...(images.length > 0 && { images }) })) {
        if (event.type === "run_started") {
          turn.runId = event.run_id;
          if (turn.stopping) this.#cancel(event.run_id);
        }
        print(event);
      }
      this.#options.write("\n");
    } finally {
      this.#turn = undefined;
    }
  }

  async #command(command: string, argument: string): Promise<void> {
    const { client } = this.#options;
    if (command === "/image") return await this.#addImage(argument);
    if (command === "/status") {
      const [{ speaker, version }, pipelines] = await Promise.all([client.health(), client.pipelines()]);
      this.#note(`Vision Agent ${version}, ${speaker} answers.`);
      for (const { name, video_reference, status, fps } of pipelines) {
        this.#note(`- ${name} on ${video_reference}: ${status}, ${fps.toFixed(1)} fps`);
      }
      if (pipelines.length === 0) this.#note("No pipeline is running.");
      return;
    }
    if (command === "/usage") {
      const { mode, speaker } = await client.health();
      return this.#note(
        mode === "offline"
          ? `${speaker}: no tokens are used and nothing is paid.`
          : `${speaker}: the provider counts the tokens; what they cost is not summed up here yet.`,
      );
    }
    this.#note(command === "/help" ? HELP : `There is no command ${command}. ${HELP}`);
  }

  async #addImage(path: string): Promise<void> {
    if (path === "") return this.#note("Name a file: /image FILE");
    this.#images.push(await this.#options.client.upload(await this.#options.readFile(path)));
    this.#note("The picture goes with your next message.");
  }

  #cancel(runId: string): void {
    this.#options.client.cancel(runId).catch((error: unknown) => this.#note(String(error)));
  }

  #note(line: string): void {
    this.#options.write(`${line}\n`);
  }
}
