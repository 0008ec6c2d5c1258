// functions of the host: told, or asked, without harm to those who call them
/** Tells a listener of the host. What it throws, at once or later, goes to `onFailed` and no further. */
export function tellListener(tell: () => unknown, onFailed: (thrown: unknown) => void): void {
  try {
    const told = tell();
    if (told instanceof Promise) told.catch(onFailed);
  } catch (thrown) {
    onFailed(thrown);
  }
}

/** The value of a function that must answer at once. Throws `TypeError` for a promise, whose own failure says less. */
export function notPromised<Value>(value: Value): Value {
  const isPromise = typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
  if (!isPromise) return value;
  Promise.resolve(value).catch(() => undefined);
  throw new TypeError("it must not be async");
}
