import { describe, expect, it } from "vitest";
import { createCameraRegistry, parseCameras } from "./camera-registry.ts";
import { DEFAULT_FILES } from "./default-files.ts";

describe("parseCameras", () => {
  it("reads the cameras of the first run without a warning", () => {
    const { cameras, warnings } = parseCameras(DEFAULT_FILES["CAMERAS.md"] ?? "");
    expect(cameras.map(({ name, address }) => [name, address])).toEqual([
      ["street", "sim://street"],
      ["warehouse", "sim://warehouse"],
    ]);
    expect(warnings).toEqual([]);
  });

  it("S000-4.2.2 finds the columns by their heading, in any order and with other columns between", () => {
    const [camera] = parseCameras(
      "text before\n\n| Notes | Owner | **URL** | Name |\n|:--|---|---|--:|\n| by the gate | me | `rtsp://cam/1` | Gate 1 |\n",
    ).cameras;
    expect(camera).toEqual({
      name: "Gate 1",
      address: "rtsp://cam/1",
      source: "rtsp://cam/1",
      location: "",
      notes: "by the gate",
    });
  });

  it("leaves other tables, code and an escaped bar alone", () => {
    const { cameras, warnings } = parseCameras(
      "| Shift | From |\n|---|---|\n| early | 6 |\n\n```\n| Name | URL |\n| no | sim://no |\n```\n| Name | URL | Notes |\n|---|---|---|\n| a | sim://a | x \\| y |",
    );
    expect(cameras.map(({ name, notes }) => [name, notes])).toEqual([["a", "x | y"]]);
    expect(warnings).toEqual([]);
  });

  it("reports a bad row with its line and goes on", () => {
    const { cameras, warnings } = parseCameras(
      "| Name | URL |\n|---|---|\n| a | sim://a |\n| | sim://b |\n| c | |\n| A | sim://d |\n| e/f | sim://e |\n| | |\n| g | sim://g |\n",
    );
    expect(cameras.map(({ name }) => name)).toEqual(["a", "g"]);
    expect(warnings.map(({ line }) => line)).toEqual([4, 5, 6, 7]);
  });

  it("reports an address that is too long and goes on", () => {
    const { cameras, warnings } = parseCameras(
      `| Name | URL |\n|---|---|\n| a | rtsp://u:${"p".repeat(2000)}@h/1 |\n| b | sim://b |\n`,
    );
    expect(cameras.map(({ name }) => name)).toEqual(["b"]);
    expect(warnings).toEqual([{ line: 3, message: "The address of a is too long: 2000 characters at most." }]);
  });

  it("shows an address without user and password and keeps the whole one apart", () => {
    const [camera] = parseCameras("| Name | URL |\n|--|--|\n| a | rtsp://admin:s3cret@10.0.0.5:554/x |").cameras;
    expect(camera?.source).toBe("rtsp://10.0.0.5:554/x");
    expect(camera?.address).toContain("s3cret");
  });
});

describe("createCameraRegistry", () => {
  const markdown = "| Name | URL |\n|--|--|\n| Gate 1 | sim://gate |";

  it("finds a camera by name without regard to case", () => {
    expect(createCameraRegistry({ markdown }).find(" gate 1 ")?.address).toBe("sim://gate");
    expect(createCameraRegistry({ markdown }).find("gate 2")).toBeUndefined();
  });

  it("adds cameras for this run, with a name or one made from the address", () => {
    const extra = [
      "door=rtsp://u:p@h/x?a=b",
      "rtsp://h/y?a=b",
      "rtsp://h/z",
      "/videos/my clip.mp4",
      "gate 1=sim://other",
    ];
    const cameras = createCameraRegistry({ markdown, extra });
    expect(cameras.list().map(({ name, source }) => [name, source])).toEqual([
      ["gate 1", "sim://other"],
      ["door", "rtsp://h/x?a=b"],
      ["h", "rtsp://h/y?a=b"],
      ["h-2", "rtsp://h/z"],
      ["my-clip", "/videos/my clip.mp4"],
    ]);
  });

  it("reports what it cannot read of the command line", () => {
    expect(createCameraRegistry({ markdown, extra: ["nonsense"] }).warnings).toEqual([
      { line: 0, message: '"nonsense" is neither name=address nor an address.' },
    ]);
  });

  it("takes a changed file and keeps the cameras of this run", () => {
    const cameras = createCameraRegistry({ markdown, extra: ["door=sim://door"] });
    cameras.reload("| Name | URL |\n|--|--|\n| b | sim://b |");
    expect(cameras.list().map(({ name }) => name)).toEqual(["b", "door"]);
  });
});
