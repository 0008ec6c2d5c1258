import type { Cameras } from "./cameras.ts";
import type { LoadedModels } from "./loaded-models.ts";
import type { ScaledTime } from "./scaled-time.ts";
import type { FakeSettings } from "./settings.ts";

/** What one life of the server consists of; a restart makes a new one. */
export interface World {
  readonly settings: FakeSettings;
  readonly time: ScaledTime;
  readonly models: LoadedModels;
  /** Cameras are outside the server and outlive it. */
  readonly cameras: Cameras;
}
