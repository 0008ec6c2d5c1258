// what people decided about pictures ⇄ egress.json of the workspace
import { type EgressRule, egressRuleSchema, type ImagesRule } from "@vision-agent/protocol";
import PQueue from "p-queue";
import { z } from "zod";
import type { FilePort } from "../workspace/file-port.ts";
import { parseJson } from "../workspace/parse-json.ts";

/** Its name in the workspace. */
export const EGRESS_RULES_FILE = "egress.json";
/** Stands for every camera, or every destination. */
export const ANY = "*";
/** Questions that nobody answered; older ones are asked anew. */
const MOST_QUESTIONS = 100;

/** A camera and a host. */
export type EgressPair = Pick<EgressRule, "camera" | "destination">;

const questionSchema = z.object({
  /** The call that waits for the answer. */
  call: z.string(),
  pairs: z.array(z.object({ camera: z.string(), destination: z.string() })),
  /** Nothing else was asked along with it, so that a no is about pictures. */
  alone: z.boolean(),
});
/** What a person is being asked. */
export type EgressQuestion = z.infer<typeof questionSchema>;

const fileSchema = z.object({
  version: z.literal(1),
  rules: z.array(egressRuleSchema),
  questions: z.array(questionSchema).default([]),
});

export interface EgressRulesOptions {
  readonly files: FilePort;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told in a sentence what could not be read. Must not throw. */
  readonly onNotice: (message: string) => void;
}

/** Rules of people, and the questions under way. Survives a restart. Changes reject with `StoreError`, and do not hold then. */
export type EgressRules = Pick<KeptRules, keyof KeptRules>;

/** A file that cannot be read is put aside: everything is asked anew. */
export async function openEgressRules(options: EgressRulesOptions): Promise<EgressRules> {
  const { files, path, onNotice } = options;
  const text = await files.readText(path);
  const file = fileSchema.safeParse(parseJson(text ?? "")).data;
  if (text !== undefined && file === undefined) {
    await files.rename(path, `${path}.broken`);
    onNotice(`${path} could not be read and is now ${path}.broken; what may be sent where is asked again.`);
  }
  return new KeptRules(options, file ?? { version: 1, rules: [], questions: [] });
}

class KeptRules {
  readonly #options: EgressRulesOptions;
  readonly #queue = new PQueue({ concurrency: 1 });
  #file: z.infer<typeof fileSchema>;

  constructor(options: EgressRulesOptions, file: z.infer<typeof fileSchema>) {
    this.#options = options;
    this.#file = file;
  }

  list(): readonly EgressRule[] {
    return this.#file.rules;
  }

  /** The rule that names the most; undefined when none fits. */
  find(camera: string, destination: string): ImagesRule | undefined {
    const among = (pair: EgressPair): ImagesRule | undefined =>
      this.#file.rules.find((one) => isSamePair(one, pair))?.images;
    // A host without a port stands for all of its ports.
    const hosts = [...new Set([destination, destination.replace(/:\d+$/, "")])];
    const places = [...hosts.map((host) => ({ camera, destination: host })), { camera, destination: ANY }];
    const all = [...places, ...hosts.map((host) => ({ camera: ANY, destination: host }))];
    return all.map(among).find((rule) => rule !== undefined);
  }

  set(pairs: readonly EgressPair[], images: ImagesRule): Promise<void> {
    const at = new Date(this.#options.now()).toISOString();
    return this.#change(({ rules, ...file }) => ({
      ...file,
      rules: [
        ...rules.filter((rule) => !pairs.some((pair) => isSamePair(rule, pair))),
        ...pairs.map(({ camera, destination }) => ({ camera, destination, images, at })),
      ],
    }));
  }

  /** A camera has another name; without one it is gone, and no yes may hold for another that is called the same. */
  moveCamera(from: string, to: string | undefined): Promise<void> {
    const isOld = ({ camera }: EgressRule): boolean => camera.toLowerCase() === from.toLowerCase();
    if (!this.#file.rules.some(isOld)) return Promise.resolve();
    return this.#change(({ rules, ...file }) => ({
      ...file,
      rules: rules
        .filter((rule) => !isOld(rule) || to !== undefined || rule.images === "never")
        .map((rule) => (isOld(rule) && to !== undefined ? { ...rule, camera: to } : rule)),
    }));
  }

  asked(question: EgressQuestion): Promise<void> {
    return this.#change(({ questions, ...file }) => ({
      ...file,
      questions: [...questions.filter(({ call }) => call !== question.call), question].slice(-MOST_QUESTIONS),
    }));
  }

  /** Gives the question of a call and takes it off the list; undefined when nobody was asked. */
  async takeQuestion(call: string): Promise<EgressQuestion | undefined> {
    const question = this.#file.questions.find((one) => one.call === call);
    if (question === undefined) return undefined;
    await this.#change(({ questions, ...file }) => ({
      ...file,
      questions: questions.filter((one) => one !== question),
    }));
    return question;
  }

  #change(change: (file: z.infer<typeof fileSchema>) => z.infer<typeof fileSchema>): Promise<void> {
    return this.#queue.add(async () => {
      const next = change(this.#file);
      await this.#options.files.writeAtomic(this.#options.path, `${JSON.stringify(next, null, 2)}\n`);
      this.#file = next;
    });
  }
}

function isSamePair(a: EgressPair, b: EgressPair): boolean {
  return (
    a.camera.toLowerCase() === b.camera.toLowerCase() && a.destination.toLowerCase() === b.destination.toLowerCase()
  );
}
