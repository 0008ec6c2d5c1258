/**
 * Where the launcher tells the person what happens. Not stdout: that belongs to the program.
 * @typedef {object} Screen
 * @property {(line: string) => void} say
 * @property {<T>(label: string, work: () => Promise<T>) => Promise<T>} during
 *   shows that `work` goes on and how long it took; a failure leaves the last word to the caller
 */

const QUIET_INTERVAL_SECONDS = 12;

/**
 * @param {{ stream: { write(text: string): unknown, isTTY?: boolean }, now?: () => number }} options
 * @returns {Screen}
 */
export function createScreen({ stream, now = Date.now }) {
  const say = (/** @type {string} */ line) => void stream.write(`${line}\n`);
  const clear = () => void (stream.isTTY && stream.write("\r\x1b[K"));

  return {
    say,
    async during(label, work) {
      const startedAt = now();
      const seconds = () => Math.round((now() - startedAt) / 100) / 10;
      const tick = () => {
        if (stream.isTTY) stream.write(`\r\x1b[K${label} … ${Math.floor(seconds())} s`);
        else say(`${label}: ${Math.floor(seconds())} s so far`);
      };
      if (stream.isTTY) tick();
      else say(`${label} …`);
      const timer = setInterval(tick, stream.isTTY ? 1000 : QUIET_INTERVAL_SECONDS * 1000);
      try {
        const result = await work();
        clear();
        say(`${label}: done in ${seconds()} s`);
        return result;
      } catch (error) {
        clear();
        throw error;
      } finally {
        clearInterval(timer);
      }
    },
  };
}
