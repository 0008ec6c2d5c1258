import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { openEngineEmbedder } from "./open-engine-embedder.ts";

it("says what to do when the folder does not hold the model", async () => {
  await expect(openEngineEmbedder({ folder: tmpdir() })).rejects.toMatchObject({
    kind: "model",
    message: expect.stringMatching(/does not hold a text embedding model/),
  });
});
