import { describe, expect, it } from "vitest";
import { SECRET_ADDRESSES } from "../testing/secret-addresses.data.ts";
import {
  isAddress,
  passwordOf,
  replaceAddresses,
  secretsIn,
  sourceKey,
  withoutAddressSecrets,
  withoutCredentials,
} from "./camera-address.ts";

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

describe("two spellings of one source", () => {
  it.each([
    ["webcam:0", ["/dev/video0", "webcam:/dev/video0", "webcam:00", "webcam:0?width=640"]],
    [
      "rtsp://10.0.0.2/stream",
      ["rtsp://me:pw@10.0.0.2:554/stream/", "rtsp://10.0.0.2//stream#x", "RTSPS://10.0.0.2/stream"],
    ],
    [
      "http://127.0.0.1:4794/cam",
      ["http://localhost:4794/cam#x", "http://127.1:4794/%63am", "http://[::ffff:127.0.0.1]:4794/x/../cam"],
    ],
    [
      "rtsp://192.168.1.20/a",
      ["rtsp://3232235796/a", "rtsp://192.168.1.20.:554/./a", "rtsp://[::ffff:192.168.1.20]/%61"],
    ],
    ["/tmp/clips/a.mp4", ["file:///tmp/clips/a.mp4", "/tmp/clips/../clips/a.mp4"]],
    ["sim://street", ["sim://street?fps=10", "sim://street#a"]],
  ])("of %s", (address, others) => {
    expect(others.map(sourceKey)).toEqual(others.map(() => sourceKey(address)));
  });

  it("differ for other ports, paths and scenes", () => {
    const all = [
      "rtsp://h/1",
      "rtsp://h/2",
      "rtsp://h:8554/1",
      "webcam:1",
      "webcam:2",
      "sim://street",
      "sim://warehouse",
    ];
    expect(new Set(all.map(sourceKey)).size).toBe(all.length);
  });
});

describe("secretsIn", () => {
  it.each([
    ["rtsp://ann:p@ss/w:rd@10.0.0.2/stream", ["p@ss/w:rd"]],
    ["rtsp://ann:p%40ss%zz@10.0.0.2/stream", ["p%40ss%zz", "p@ss%zz"]],
    ["http://host/video?user=ann&token=abc%20d&channel=1", ["abc%20d", "abc d"]],
    ["rtsp://host/cam?u=admin&p=Zebra-94", ["Zebra-94"]],
    ["rtsp://host/cam?p=Zebra-95&u=admin", ["Zebra-95"]],
    ["rtsp://host/cam#user=admin&code=Zebra-96", ["Zebra-96"]],
    ["http://host/list?p=2", []],
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
    expect(withoutAddressSecrets(text)).toBe(shown);
  });

  it("takes a text that is an address whole", () => {
    const found: string[] = [];
    const note = (address: string): string => String(found.push(address));
    for (const text of ["http://h/1?x=y!", "rtsp://u:a b@h/1."]) replaceAddresses(text, note);
    expect(found).toEqual(["http://h/1?x=y!", "rtsp://u:a b@h/1."]);
  });

  it.each(SECRET_ADDRESSES)("knows $form by its form, alone and in a sentence", ({ write }) => {
    const address = write("Planted-1x", "192.168.1.52");
    expect(secretsIn(address)).toEqual(["Planted-1x"]);
    const shown = withoutCredentials(address);
    expect(shown).not.toContain("Planted");
    expect(withoutCredentials(shown)).toBe(shown);
    expect(withoutAddressSecrets(`Use ${address}, "${address}" or (${address}).`)).toBe(
      `Use ${shown}, "${shown}" or (${shown}).`,
    );
  });

  it.each([
    "Write to mailto:ann@example.com or ann@example.com at 10:30.",
    "key=value, a=b; user=5 and `sort_by=name`",
    'vision_agent_pipeline_up{pipeline_id="a",key="b"} 1',
    "rtsp://h/admin/live/ch1 and https://example.com/admin/users/5",
    "http://h/a=b?c=d&page=2",
    "password= and token=",
  ])("leaves %s as it is", (text) => {
    expect(withoutAddressSecrets(text)).toBe(text);
  });

  it("does not take long over long texts", () => {
    const text = `${"a1".repeat(20_000)}://${"x:".repeat(20_000)}`;
    expect(withoutAddressSecrets(text)).toBe(text);
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
