/** What of `document` is needed to know whether anyone looks. */
export interface VisibilitySource {
  readonly hidden: boolean;
  addEventListener(type: "visibilitychange", listener: () => void): void;
  removeEventListener(type: "visibilitychange", listener: () => void): void;
}

/** Runs what `start` starts only while the page can be seen. Returns the end of it all. */
export function whileVisible(page: VisibilitySource, start: () => () => void): () => void {
  let stop: (() => void) | undefined;
  const follow = (): void => {
    if (page.hidden) {
      stop?.();
      stop = undefined;
    } else {
      stop ??= start();
    }
  };
  page.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    page.removeEventListener("visibilitychange", follow);
    stop?.();
    stop = undefined;
  };
}
