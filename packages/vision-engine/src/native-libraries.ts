// Imported by whatever starts threads. A native library is unloaded with the last thread that uses it, while threads of
// its own may still run: loaded here, in a thread that stays, it stays, too.
import "./config/without-telemetry.ts";
import "@napi-rs/canvas";
import "onnxruntime-node";
import "./picture-formats.ts";
