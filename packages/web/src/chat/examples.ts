/** Sentences to try that really work; `camera` is one that is there. */
export function examplesFor(camera: string | undefined): readonly string[] {
  const count = camera === undefined ? [] : [`Count people crossing the middle of the ${camera} camera`];
  return ["What do you see?", ...count, "Stop everything"];
}
