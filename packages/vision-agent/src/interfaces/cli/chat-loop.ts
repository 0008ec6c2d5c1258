// lines of a person → turns with the assistant
import type { UsageReport, WatchReport } from "@vision-agent/protocol";
import { reasonOf } from "../../workspace/kinded-error.ts";
import type { ApiClient } from "./api-client.ts";
import { describeUsage, describeWatches } from "./list-text.ts";
import { createRunPrinter, type RunLook } from "./print-run.ts";
import { wrapWords } from "./wrap-words.ts";

export interface ChatOptions extends RunLook {
  readonly client: ApiClient;
  /** The conversation to go on with; absent begins one with the first words. */
  readonly session?: string;
  /** What draws a picture in this terminal; absent where it cannot. */
  readonly drawPicture?: (artifactId: string) => Promise<string>;
  readonly write: (text: string) => void;
  /** Writes a picture, which is made of what a text may not have. */
  readonly draw: (picture: string) => void;
  readonly readFile: (path: string) => Promise<Uint8Array>;
}

/** What a line may begin with. */
export const CHAT_COMMANDS = ["/image", "/status", "/usage", "/watches", "/help", "/quit"] as const;

const HELP =
  "/image FILE adds a picture to your next message; /status, /usage and /watches show how things stand; /quit leaves. Tab completes, Ctrl-C stops an answer.";

interface Turn {
  runId?: string;
  stopping: boolean;
}

/** One conversation in a terminal. */
export class TerminalChat {
  readonly #options: ChatOptions;
  #session: string | undefined;
  #images: string[] = [];
  #turn: Turn | undefined;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#session = options.session;
  }

  /** The conversation, once it has begun. */
  get session(): string | undefined {
    return this.#session;
  }

  /** Takes one line to its end. `quit` means that the person wants to leave. Never rejects. */
  async line(text: string): Promise<"go_on" | "quit"> {
    const words = text.trim();
    const [command = ""] = words.split(/\s+/);
    try {
      if (/^\/?(?:quit|exit)$/i.test(words)) return "quit";
      if (command.startsWith("/")) await this.#command(command, words.slice(command.length).trim());
      else if (words !== "") await this.#say(words);
    } catch (error) {
      this.#note(reasonOf(error), this.#options.colours.red);
    }
    return "go_on";
  }

  /** Ctrl-C: stops the turn that is going on. False when nothing was going on, or it was being stopped already. */
  interrupt(): boolean {
    const turn = this.#turn;
    if (turn === undefined || turn.stopping) return false;
    turn.stopping = true;
    if (turn.runId !== undefined) this.#cancel(turn.runId);
    return true;
  }

  async #say(text: string): Promise<void> {
    const { client } = this.#options;
    const turn: Turn = { stopping: false };
    this.#turn = turn;
    const images = this.#images.splice(0);
    const { write } = this.#options;
    const printer = createRunPrinter({ ...this.#options, say: write, note: (line) => write(`${line}\n`) });
    try {
      this.#session ??= await client.createSession();
      for await (const event of client.say(this.#session, { text, ...(images.length > 0 && { images }) })) {
        if (event.type === "run_started") {
          turn.runId = event.run_id;
          if (turn.stopping) this.#cancel(event.run_id);
        }
        printer.print(event);
        if (event.type === "tool_result") for (const id of event.images) await this.#draw(id);
      }
    } finally {
      printer.end();
      this.#turn = undefined;
    }
  }

  /** The link is printed as well, so that a picture that cannot be drawn is not missed. */
  async #draw(artifactId: string): Promise<void> {
    const drawn = await this.#options.drawPicture?.(artifactId).catch(() => ""); // its link is there instead
    if (drawn) this.#options.draw(drawn);
  }

  async #command(command: string, argument: string): Promise<void> {
    const { client, write } = this.#options;
    switch (command) {
      case "/image":
        return await this.#addImage(argument);
      case "/status":
        return await this.#tellStatus();
      case "/usage":
        return write(describeUsage(await client.get<UsageReport>("/api/usage")));
      case "/watches":
        return write(describeWatches(await client.get<WatchReport[]>("/api/watches")));
      default:
        this.#note(command === "/help" ? HELP : `There is no command ${command}. ${HELP}`);
    }
  }

  async #tellStatus(): Promise<void> {
    const { client } = this.#options;
    const [{ speaker, version }, pipelines] = await Promise.all([client.health(), client.pipelines()]);
    this.#note(`Vision Agent ${version}; ${speaker} answers${this.#session ? ` in ${this.#session}` : ""}.`);
    for (const { name, video_reference, status, fps } of pipelines) {
      this.#note(`- ${name} on ${video_reference}: ${status}, ${fps.toFixed(1)} fps`);
    }
    if (pipelines.length === 0) this.#note("No pipelines are running.");
  }

  async #addImage(path: string): Promise<void> {
    const file = toPlainPath(path);
    if (file === "") return this.#note("Name a file: /image FILE");
    this.#images.push(await this.#options.client.upload(await this.#options.readFile(file)));
    this.#note("The picture goes with your next message.");
  }

  #cancel(runId: string): void {
    this.#options.client.cancel(runId).catch((error: unknown) => this.#note(String(error)));
  }

  #note(text: string, colour: (line: string) => string = String): void {
    const { write, columns } = this.#options;
    write(`${colour(wrapWords(text, columns?.()))}\n`);
  }
}

/** As typed, or as a terminal writes a file that is dropped on it: in quotes, or with `\` before blanks. */
function toPlainPath(text: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(text)?.[2];
  return quoted ?? text.replace(/\\([ '"()&])/g, "$1");
}
