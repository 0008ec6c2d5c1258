import { describe, expect, it } from "vitest";
import { createConnectionSlots, readLiveFrames } from "./live-connection.ts";

describe("readLiveFrames", () => {
  it("pairs each result with the picture that follows it", async () => {
    const seen: string[] = [];
    await readLiveFrames(liveResponse(["1", "2", "3"]), ({ result, jpeg }) => {
      seen.push(`${result.frame.frame_number} ${new TextDecoder().decode(jpeg)}`);
      return undefined;
    });
    expect(seen).toEqual(["1 jpeg1", "2 jpeg2", "3 jpeg3"]);
  });

  it("stops reading and closes the body when it has enough", async () => {
    const closed: string[] = [];
    let frames = 0;
    await readLiveFrames(
      liveResponse(["1", "2"], () => closed.push("closed")),
      () => {
        frames += 1;
        return "enough";
      },
    );
    expect({ frames, closed }).toEqual({ frames: 1, closed: ["closed"] });
  });
});

function liveResponse(frames: readonly string[], onClosed: () => void = () => undefined): Response {
  const queue = frames.flatMap((name) => [
    part("application/json", JSON.stringify({ frame: { frame_number: Number(name) }, outputs: {}, latency_ms: 1 })),
    part("image/jpeg", `jpeg${name}`),
  ]);
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = queue.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(next));
    },
    cancel: onClosed,
  });
  return new Response(body, { headers: { "Content-Type": "multipart/mixed; boundary=frame" } });
}

function part(type: string, body: string): string {
  return `--frame\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}\r\n`;
}

const forever = new AbortController().signal;

describe("createConnectionSlots", () => {
  it("lets the next one in when a place is given back", async () => {
    const slots = createConnectionSlots(1);
    const giveBack = await slots.take(forever);
    const order: string[] = [];
    const second = slots.take(forever).then((done) => {
      order.push("second");
      done();
    });
    order.push("first");
    giveBack();
    await second;
    expect(order).toEqual(["first", "second"]);
  });

  it("counts a place that is given back twice once", async () => {
    const slots = createConnectionSlots(1);
    const giveBack = await slots.take(forever);
    giveBack();
    giveBack();
    await slots.take(forever);
    const leaving = new AbortController();
    const third = slots.take(leaving.signal);
    leaving.abort(new Error("left"));
    await expect(third).rejects.toThrow("left");
  });

  it("does not keep a place for one who left the queue", async () => {
    const slots = createConnectionSlots(1);
    const giveBack = await slots.take(forever);
    const leaving = new AbortController();
    const left = slots.take(leaving.signal);
    const waiting = slots.take(forever);
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    giveBack();
    await expect(waiting).resolves.toBeTypeOf("function");
  });
});
