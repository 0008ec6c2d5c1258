import type { Pen } from "./pen.ts";
import { drawShadow, drawSolid, type Local, type Pose, projector } from "./solid.ts";
import { VEHICLE_BODIES, type VehicleBody, type VehicleModel } from "./vehicle-bodies.ts";
import type { Point } from "./view.ts";

export interface Motion {
  /** Metres driven, which turns the wheels. */
  readonly travelled: number;
  readonly braking: boolean;
}

export interface VehicleLooks {
  readonly model: VehicleModel;
  readonly paint: string;
  readonly motion: Motion;
}

export function drawVehicle(pen: Pen, pose: Pose, { model, paint, motion }: VehicleLooks): void {
  const body = VEHICLE_BODIES[model];
  drawShadow(pen, { ...pose, x: pose.x + 0.12, y: pose.y + 0.1 }, [body.length + 0.15, body.width + 0.25]);
  drawUnderside(pen, pose, body);
  for (const part of body.parts) drawSolid(pen, pose, part, paint);
  drawWheels(pen, pose, body, motion.travelled);
  if (motion.braking) drawBrakeLights(pen, pose, body);
}

function drawUnderside(pen: Pen, pose: Pose, { length, width }: VehicleBody): void {
  const [half, side] = [length / 2 - 0.15, width / 2 - 0.08];
  const corners: Local[] = [
    [half, -side, 0.24],
    [half, side, 0.24],
    [-half, side, 0.24],
    [-half, -side, 0.24],
  ];
  pen.polygon(corners.map(projector(pen, pose)), "#23262c");
}

/** Only the near side has wheels that a raised camera sees. */
function drawWheels(pen: Pen, pose: Pose, { axles, wheelRadius, width }: VehicleBody, travelled: number): void {
  const project = projector(pen, pose);
  const left = (width / 2) * (project([0, 1, 0]).scale > project([0, -1, 0]).scale ? 1 : -1);
  for (const axle of axles) {
    const at = (radius: number, angle: number): Point =>
      project([axle + radius * Math.cos(angle), left, wheelRadius + radius * Math.sin(angle)]);
    const circle = (radius: number, corners: number): Point[] =>
      Array.from({ length: corners }, (_, corner) => at(radius, (2 * Math.PI * corner) / corners));
    const arch = Array.from({ length: 9 }, (_, step) => at(wheelRadius + 0.07, (Math.PI * step) / 8));
    pen.paint([arch], "#24272c");
    pen.polygon(circle(wheelRadius, 16), "#2b2d31");
    pen.paint([circle(wheelRadius * 0.62, 12)], "#b9bdc2");
    const spokes = Array.from({ length: 5 }, (_, spoke) => {
      const angle = (2 * Math.PI * spoke) / 5 - travelled / wheelRadius;
      return [
        at(wheelRadius * 0.14, angle),
        at(wheelRadius * 0.52, angle + 0.32),
        at(wheelRadius * 0.52, angle - 0.32),
      ];
    });
    pen.paint(spokes, "#7d838a");
  }
}

function drawBrakeLights(pen: Pen, pose: Pose, { length, width, lampHeight }: VehicleBody): void {
  const project = projector(pen, pose);
  if (project([-length, 0, lampHeight]).scale < project([length, 0, lampHeight]).scale) return;
  for (const side of [-1, 1]) {
    const lamp = project([-length / 2 + 0.08, side * (width / 2 - 0.22), lampHeight]);
    pen.glow(lamp, 0.1 * lamp.scale, "rgba(255,80,60,0.28)");
    pen.glow(lamp, 0.065 * lamp.scale, "#ff6a55");
  }
}
