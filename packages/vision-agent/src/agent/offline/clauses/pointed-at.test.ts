import { describe, expect, it } from "vitest";
import { oneOrAll } from "./pointed-at.ts";

describe("of two watches", () => {
  it.each(["mute it for an hour", "mute that until 8", "mute the yard one", "remove the other one"])(
    "nothing says which one %j means",
    (words) => expect(oneOrAll(["dog", "car"], words)).toBeUndefined(),
  );

  it.each(["mute them for an hour", "mute everything that barks", "mute both of it", "mute for an hour"])(
    "%j means both",
    (words) => expect(oneOrAll(["dog", "car"], words)).toEqual(["dog", "car"]),
  );

  it("the second one is that", () => expect(oneOrAll(["dog", "car"], "mute the second one")).toEqual(["car"]));
});
