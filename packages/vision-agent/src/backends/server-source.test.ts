import { describe, expect, it } from "vitest";
import { isOnThisMachine, toServerSource } from "./server-source.ts";

describe("what a server is told to read", () => {
  it("gives network cameras with a proper URL and without options of our own", () => {
    expect(toServerSource("rtsp://joe:pa@ss@cam/live?transport=udp", false)).toEqual({
      reference: "rtsp://joe:pa%40ss@cam/live",
      isFile: false,
    });
    expect(toServerSource("http://cam/video.mjpg", false)).toEqual({
      reference: "http://cam/video.mjpg",
      isFile: false,
    });
  });

  it("gives whole paths to a server on this machine, also with spaces", () => {
    expect(toServerSource("/videos/my clip.mp4", true)).toEqual({ reference: "/videos/my clip.mp4", isFile: true });
    expect(toServerSource("file:///videos/my%20clip.mp4", true).reference).toBe("/videos/my clip.mp4");
    expect(() => toServerSource("clip.mp4", true)).toThrow("needs the whole path");
  });

  it.each([
    ["sim://street", true],
    ["webcam:0", true],
    ["/videos/clip.mp4", false],
  ])("refuses %s with the way out", (address, onThisMachine) => {
    expect(() => toServerSource(address, onThisMachine)).toThrow(
      expect.objectContaining({ kind: "source", message: expect.stringMatching(/webrtc backend.* or direct/) }),
    );
  });

  it("knows a server on this machine by its address", () => {
    for (const url of ["http://127.0.0.1:9001", "http://localhost:9001", "http://[::1]:9001"])
      expect(isOnThisMachine(url)).toBe(true);
    for (const url of ["http://10.0.0.5:9001", "https://serverless.roboflow.com", ""])
      expect(isOnThisMachine(url)).toBe(false);
  });
});
