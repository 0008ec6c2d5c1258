import { describe, expect, it } from "vitest";
import { readCameras } from "./read-cameras.ts";

const ADDRESS = "rtsp://ann:s3cret@10.0.0.5/live";

describe("--camera", () => {
  it("takes the address from a prompt, a file or the environment, and from the command line with a warning", async () => {
    const warnings: string[] = [];
    const asked: string[] = [];
    const sources = {
      ask: async (question: string) => {
        asked.push(question);
        return ADDRESS;
      },
      readFile: async (path: string) => new TextEncoder().encode(path === "cam.txt" ? `${ADDRESS}\nmore\n` : ""),
      env: { CAM: ADDRESS },
      warn: (message: string) => warnings.push(message),
    };
    const given = ["a=-", "b=@cam.txt", "c=env:CAM", "d=sim://street?seed=1", "sim://warehouse"];
    expect(await readCameras(given, sources)).toEqual([
      `a=${ADDRESS}`,
      `b=${ADDRESS}`,
      `c=${ADDRESS}`,
      "d=sim://street?seed=1",
      "sim://warehouse",
    ]);
    expect(asked).toEqual(["Address of a: "]);
    expect(warnings).toEqual([]);
    expect(await readCameras([`e=${ADDRESS}`], sources)).toEqual([`e=${ADDRESS}`]);
    expect(warnings).toEqual([expect.stringMatching(/^The password in --camera can be read by every user/)]);
    expect(warnings.join()).not.toContain("s3cret");
    await expect(readCameras(["f=env:NONE"], sources)).rejects.toThrow("the environment has no variable NONE");
    await expect(readCameras(["g=@empty.txt"], sources)).rejects.toThrow("--camera g: no address was given.");
  });
});
