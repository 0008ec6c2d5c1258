// ANTHROPIC_API_KEY=… node examples/image-question.ts photo.jpg "What is this?" → an answer about a picture
import { createAgent, type LanguageModel } from "@vision-agent/agent-core";
import { anthropic } from "@vision-agent/agent-core/anthropic";

/** The bytes are read from the agent's store when the request is built; until then there is only a reference. */
export async function askAboutPicture(options: {
  model: LanguageModel;
  path: string;
  question: string;
  /** Told word by word. */
  write: (text: string) => void;
}): Promise<string> {
  const { model, path, question, write } = options;
  await using agent = createAgent({ model, instructions: "Say what you see, briefly." });
  const stream = agent.stream(question, { images: [{ path }] });
  for await (const words of stream.textStream()) write(words);
  return (await stream.result()).text;
}

if (import.meta.main) {
  const [path, question = "What is in this picture?"] = process.argv.slice(2);
  if (path === undefined) throw new Error("Name a picture.");
  await askAboutPicture({ model: anthropic(), path, question, write: (text) => void process.stdout.write(text) });
}
