/** What every thread of an engine is told. Plain data: it travels between threads. */
export interface EngineSettings {
  /** Folder for models that were fetched. Default: `~/.cache/vision-agent/models`. */
  readonly modelFolder?: string;
  /** Folder with models of the owner: `<folder>/<id>/` holds `weights.onnx` and its description. */
  readonly localModelFolder?: string;
  /** Key for models and saved workflows of a Roboflow workspace. */
  readonly roboflowKey?: string;
  /** Where Roboflow's API is. Default: its own address. */
  readonly roboflowUrl?: string;
  /** Folder that sinks may write files into; absent writes none. */
  readonly sinkFolder?: string;
}
