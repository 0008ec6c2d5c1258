// the system's list of video devices → webcams a person can choose from

/** One camera plugged into this machine. */
export interface Webcam {
  /** What `openSource` takes: `webcam:0`. */
  readonly address: string;
  /** `/dev/video0`. */
  readonly device: string;
  /** As the device calls itself. */
  readonly name: string;
}

/** The part of the disk that is read; tests hand in their own. */
export interface DeviceFiles {
  /** Names in a folder; throws when there is none. */
  list(path: string): Promise<readonly string[]>;
  read(path: string): Promise<string>;
}

const CLASS = "/sys/class/video4linux";

/** Webcams of a Linux machine, by number; none where the system has no such list. */
export async function listWebcams(files: DeviceFiles): Promise<readonly Webcam[]> {
  // Systems without webcams have no such folder; files that are missing leave the standard.
  const names = await files.list(CLASS).catch(() => []);
  const numbers = names.map((name) => /^video(\d+)$/.exec(name)?.[1]).filter((number) => number !== undefined);
  const webcams = numbers
    .map(Number)
    .sort((one, other) => one - other)
    .map(async (number): Promise<Webcam | undefined> => {
      // A camera has a second device for its metadata, which gives no pictures.
      const index = await files.read(`${CLASS}/video${number}/index`).catch(() => "0");
      if (index.trim() !== "0") return undefined;
      const name = await files.read(`${CLASS}/video${number}/name`).catch(() => "");
      return { address: `webcam:${number}`, device: `/dev/video${number}`, name: name.trim() || `Camera ${number}` };
    });
  return (await Promise.all(webcams)).filter((webcam) => webcam !== undefined);
}
