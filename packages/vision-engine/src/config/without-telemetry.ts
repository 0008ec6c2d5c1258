// Imported before ONNX Runtime. Its builds for Linux note a device id and the names of models below the home folder and send
// them to their maker, unless this is set in the environment of the process. Threads have a copy of that: set it here, in the
// thread that stays.
process.env.ORT_DISABLE_TELEMETRY = "1";
