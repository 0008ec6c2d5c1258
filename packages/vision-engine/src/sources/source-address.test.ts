import { describe, expect, it } from "vitest";
import { parseSourceAddress } from "./source-address.ts";

describe("parseSourceAddress", () => {
  it.each([
    [
      "rtsp://10.0.0.5/live",
      { kind: "rtsp", transport: "tcp", host: "10.0.0.5", port: 554, url: "rtsp://10.0.0.5/live" },
    ],
    ["rtsp://cam:8554/a?x=1&transport=udp", { transport: "udp", port: 8554, url: "rtsp://cam:8554/a?x=1" }],
    ["rtsp://cam/a?transport=TCP&x=1", { transport: "tcp", url: "rtsp://cam/a?x=1" }],
    ["rtsps://[fe80::1]:322/a", { kind: "rtsp", host: "fe80::1", port: 322 }],
    ["HTTPS://cam/video", { kind: "http", host: "cam", port: 443 }],
    ["webcam:2", { kind: "webcam", device: "/dev/video2", label: "webcam:2" }],
    ["/dev/video0", { kind: "webcam", device: "/dev/video0" }],
    ["webcam:0?width=1280&height=720&fps=30&format=MJPEG", { width: 1280, height: 720, fps: 30, format: "mjpeg" }],
    ["file:///tmp/a%20b.mp4", { kind: "path", path: "/tmp/a b.mp4" }],
    ["/tmp/clip.mp4", { kind: "path", path: "/tmp/clip.mp4", label: "/tmp/clip.mp4" }],
    ["sim://street?fps=5", { kind: "sim", label: "sim://street?fps=5" }],
    ["http://cam/@front/video", { kind: "http", host: "cam" }],
  ])("reads %s", (address, expected) => {
    expect(parseSourceAddress(address)).toMatchObject(expected);
  });

  it.each([
    ["rtsp://admin:secret@cam/a", "rtsp://admin:secret@cam/a"],
    ["rtsp://admin:s%40cret@cam/a", "rtsp://admin:s%40cret@cam/a"],
    ["rtsp://admin:s@cret@cam/a", "rtsp://admin:s%40cret@cam/a"],
    ["rtsp://admin:se/cret@cam/a", "rtsp://admin:se%2Fcret@cam/a"],
    ["rtsp://admin:100%secret@cam/a", "rtsp://admin:100%25secret@cam/a"],
    ["rtsp://admin@cam/a", "rtsp://admin@cam/a"],
  ])("keeps the credentials of %s for opening and shows none", (address, url) => {
    expect(parseSourceAddress(address)).toMatchObject({ url, host: "cam", label: "rtsp://cam/a" });
  });

  it("shows no keys of the query", () => {
    expect(parseSourceAddress("http://cam/v?user=me&password=secret&x=1").label).toBe(
      "http://cam/v?user=***&password=***&x=1",
    );
  });

  it.each([
    ["rtsp://cam/a?transport=pigeon", "bad_option"],
    ["rtsp:///path", "bad_option"],
    ["webcam:0?zoom=3", "bad_option"],
    ["webcam:front", "unknown_scheme"],
    ["", "unknown_scheme"],
    ["file://elsewhere/clip.mp4", "bad_option"],
    ["gopher://x", "unknown_scheme"],
    ["http://evil\\@good/cam", "bad_option"],
    ["http:\\\\evil\\x@good/y", "bad_option"],
    ["http:/evil/x@good/y", "bad_option"],
    ["rtsp://evil:554/x@good/y", "bad_option"],
    ["rtsp://me:pw@evil/x@good/y", "bad_option"],
    ["http://good\n.evil/x", "bad_option"],
  ])("refuses %s", (address, reason) => {
    expect(() => parseSourceAddress(address)).toThrow(expect.objectContaining({ kind: "source", reason }));
  });
});
