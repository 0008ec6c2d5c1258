import { shade } from "./color.ts";
import type { Pen } from "./pen.ts";
import { drawRoundShadow, type Local, type Pose, projector } from "./solid.ts";
import type { Vec3 } from "./view.ts";

export interface DogLooks {
  readonly coat: string;
  /** As in a person's walk. */
  readonly phase: number;
  /** The hand that holds the other end of the leash. */
  readonly leash: Vec3;
}

/** Draws a trotting dog on a leash. */
export function drawDog(pen: Pen, pose: Pose, { coat, phase, leash }: DogLooks): void {
  drawRoundShadow(pen, pose, 0.28);
  const at = projector(pen, pose);
  pen.paint([[at([0.28, 0, 0.5]), pen.project(leash)]], "rgba(60,44,36,0.8)", 0.5);
  const leg = (forward: number, left: number, turn: number): readonly [Local, Local] => [
    [forward, left, 0.3],
    [forward + 0.1 * Math.sin(phase + turn), left, 0.03],
  ];
  const legs = [leg(0.2, 0.07, 0), leg(-0.22, -0.07, 0), leg(0.2, -0.07, Math.PI), leg(-0.22, 0.07, Math.PI)];
  for (const [from, to] of legs) pen.capsule(at(from), at(to), 0.032, shade(coat, 0.85));
  pen.capsule(at([-0.26, 0, 0.44]), at([-0.42, 0.03 * Math.sin(2 * phase), 0.58]), 0.025, shade(coat, 0.92));
  pen.capsule(at([-0.22, 0, 0.38]), at([0.2, 0, 0.4]), 0.11, shade(coat, 1));
  pen.capsule(at([0.22, 0, 0.44]), at([0.32, 0, 0.56]), 0.07, shade(coat, 1));
  pen.capsule(at([0.34, 0, 0.59]), at([0.46, 0, 0.56]), 0.055, shade(coat, 1.05));
  for (const left of [0.06, -0.06]) pen.capsule(at([0.32, left, 0.63]), at([0.29, left, 0.55]), 0.03, shade(coat, 0.7));
  pen.disc(at([0.51, 0, 0.57]), 0.02, "#26221f");
}
