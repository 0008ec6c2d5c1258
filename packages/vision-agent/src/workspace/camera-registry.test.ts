import { describe, expect, it } from "vitest";
import { isAddress, passwordOf, replaceAddresses, secretsIn, withoutCredentials } from "./camera-address.ts";
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

  it("shows an address without user and password and keeps the whole one apart", () => {
    const [camera] = parseCameras("| Name | URL |\n|--|--|\n| a | rtsp://admin:s3cret@10.0.0.5:554/x |").cameras;
    expect(camera?.source).toBe("rtsp://10.0.0.5:554/x");
    expect(camera?.address).toContain("s3cret");
  });
});

describe("passwordOf", () => {
  it.each([
    ["rtsp://ann:p@ss/w:rd@10.0.0.2/stream?x=1", "p@ss/w:rd"],
    ["rtsp://ann:pa#ss?word@10.0.0.2/stream", "pa#ss?word"],
    ["rtsp://ann@10.0.0.2/stream", undefined],
    ["rtsp://10.0.0.2:554/stream", undefined],
    ["sim://street", undefined],
  ])("of %s is %s", (address, password) => {
    expect(passwordOf(address)).toBe(password);
  });
});

describe("secretsIn", () => {
  it.each([
    ["rtsp://ann:p@ss/w:rd@10.0.0.2/stream", ["p@ss/w:rd"]],
    ["rtsp://ann:p%40ss%zz@10.0.0.2/stream", ["p%40ss%zz", "p@ss%zz"]],
    ["http://host/video?user=ann&token=abc%20d&channel=1", ["abc%20d", "abc d"]],
    ["sim://street?seed=4", []],
  ])("of %s are %j", (address, secrets) => {
    expect(secretsIn(address)).toEqual(secrets);
  });
});

describe("withoutCredentials", () => {
  it.each([
    ["rtsp://u:p@host/path", "rtsp://host/path"],
    ["rtsp://u:p@ss/w@rd@host/path", "rtsp://host/path"],
    ["rtsp://host/live?user=u&password=p&channel=1", "rtsp://host/live?user=***&password=***&channel=1"],
    ["rtsp://u:p?#w@host/path", "rtsp://host/path"],
    ["http://host/cam?name=a@b", "http://host/cam?name=a@b"],
    ["http://host:80?name=a@b", "http://host:80?name=a@b"],
    ["https://host/@name/picture.jpg", "https://host/@name/picture.jpg"],
    ["/videos/a@b.mp4", "/videos/a@b.mp4"],
    ["sim://street?seed=1", "sim://street?seed=1"],
  ])("shows %s as %s", (address, shown) => {
    expect(withoutCredentials(address)).toBe(shown);
  });
});

describe("replaceAddresses", () => {
  it.each([
    ["Watch rtsp://u:p@h/1.", "Watch rtsp://h/1."],
    ["(rtsp://u:p@h/1), _http://h/2?key=k_", "(rtsp://h/1), _http://h/2?key=***"],
    ["http://h/1?pwd=p! for people, http://h/2?pwd=p.", "http://h/1?pwd=*** for people, http://h/2?pwd=***."],
    ['{"a":"rtsp://u:p@h/1","mail":"m@x"}', '{"a":"rtsp://h/1","mail":"m@x"}'],
    ["rtsp://u:it's@h/1 and rtsp://u:two words@h/2, then mail m@x", "rtsp://h/1 and rtsp://h/2, then mail m@x"],
    ["rtsp://u:p@h/1,rtsp://v:q@h/2", "rtsp://h/1,rtsp://h/2"],
    ["http://a/?next=rtsp://u:p@h/1", "http://a/?next=rtsp://h/1"],
    ["https://h: write to m@x", "https://h: write to m@x"],
    ["rtsp://u:p@h/1!", "rtsp://h/1!"],
  ])("shows %s without passwords", (text, shown) => {
    expect(replaceAddresses(text, withoutCredentials)).toBe(shown);
  });

  it("takes a text that is an address whole", () => {
    const found: string[] = [];
    const note = (address: string): string => String(found.push(address));
    for (const text of ["http://h/1?x=y!", "rtsp://u:a b@h/1."]) replaceAddresses(text, note);
    expect(found).toEqual(["http://h/1?x=y!", "rtsp://u:a b@h/1."]);
  });

  it("does not take long over long texts", () => {
    const text = `${"a1".repeat(20_000)}://${"x:".repeat(20_000)}`;
    expect(replaceAddresses(text, withoutCredentials)).toBe(text);
  });
});

describe("isAddress", () => {
  it.each(["rtsp://a/b", "/videos/a.mp4", "./a", "clip.mp4", "C:\\a.avi"])("takes %s for an address", (text) => {
    expect(isAddress(text)).toBe(true);
  });
  it.each(["street", "Gate 1", "cam-2", "front.door-camera"])("takes %s for a name", (text) => {
    expect(isAddress(text)).toBe(false);
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
