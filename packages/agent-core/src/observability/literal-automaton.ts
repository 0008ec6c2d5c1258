// many words → where they stand in a text, in time that grows with the text and not with the words

/**
 * The automaton of Aho and Corasick over UTF-16 units, in flat arrays: a word may be a megabyte long. Written by hand
 * because the libraries for it keep an object for each letter and find words by their end alone.
 */
export class LiteralAutomaton {
  /** Of each state: the length of the longest word that ends here; 0 when none does. */
  readonly longest: Int32Array;
  readonly depths: Int32Array;
  /** Of each state: the longest end of what was read that is the beginning of a word, and not yet all of it. */
  readonly unfinished: Int32Array;
  readonly #parents: Int32Array;
  readonly #units: Uint16Array;
  readonly #fallbacks: Int32Array;
  readonly #firstChildren: Int32Array;
  /** A hash table of all other children, of which each word brings one at most. */
  readonly #slots: Int32Array;
  readonly #shift: number;
  /** The children of the first state, by their unit. */
  readonly #beginnings = new Int32Array(0x10000);
  #states = 1;

  /** Words are not empty. `backwards` is for texts that are read from their end. */
  constructor(words: readonly string[], { backwards }: { readonly backwards: boolean }) {
    const most = words.reduce((sum, { length }) => sum + length, 1);
    const bits = Math.max(4, Math.ceil(Math.log2(words.length * 2 + 1)));
    this.#shift = 32 - bits;
    this.#slots = new Int32Array(2 ** bits);
    this.#parents = new Int32Array(most);
    this.#units = new Uint16Array(most);
    this.#fallbacks = new Int32Array(most);
    this.#firstChildren = new Int32Array(most);
    this.longest = new Int32Array(most);
    this.depths = new Int32Array(most);
    this.unfinished = new Int32Array(most);
    for (const word of words) this.#add(word, backwards);
    this.#connect();
  }

  /** The state after one more unit. The first state is 0. */
  next(state: number, unit: number): number {
    let from = state;
    while (from !== 0) {
      const to = this.#child(from, unit);
      if (to !== 0) return to;
      from = this.#fallbacks[from] ?? 0;
    }
    return this.#beginnings[unit] ?? 0;
  }

  #add(word: string, backwards: boolean): void {
    let state = 0;
    for (let at = 0; at < word.length; at++) {
      const unit = word.charCodeAt(backwards ? word.length - 1 - at : at);
      state = this.#child(state, unit) || this.#grow(state, unit);
    }
    this.longest[state] = word.length;
  }

  #grow(parent: number, unit: number): number {
    const state = this.#states;
    this.#states += 1;
    this.#parents[state] = parent;
    this.#units[state] = unit;
    this.depths[state] = (this.depths[parent] ?? 0) + 1;
    // For now: that something follows.
    this.unfinished[parent] = parent;
    if (parent === 0) this.#beginnings[unit] = state;
    else if (this.#firstChildren[parent] === 0) this.#firstChildren[parent] = state;
    else this.#slots[this.#freeSlot(parent, unit)] = state;
    return state;
  }

  /** 0 when there is none. */
  #child(state: number, unit: number): number {
    if (state === 0) return this.#beginnings[unit] ?? 0;
    const first = this.#firstChildren[state] ?? 0;
    if (first === 0 || this.#units[first] === unit) return first;
    for (let slot = this.#slotOf(state, unit); ; slot = (slot + 1) & (this.#slots.length - 1)) {
      const to = this.#slots[slot] ?? 0;
      if (to === 0 || (this.#parents[to] === state && this.#units[to] === unit)) return to;
    }
  }

  #freeSlot(state: number, unit: number): number {
    let slot = this.#slotOf(state, unit);
    while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1);
    return slot;
  }

  #slotOf(state: number, unit: number): number {
    const mixed = Math.imul(Math.imul(state, 0x9e3779b1) ^ unit, 0x85ebca6b);
    return (mixed ^ (mixed >>> 15)) >>> this.#shift;
  }

  /** Shallow states first: each one leans on shallower ones. */
  #connect(): void {
    for (const state of this.#byDepth()) {
      if ((this.depths[state] ?? 0) > 1) {
        this.#fallbacks[state] = this.next(this.#fallbacks[this.#parents[state] ?? 0] ?? 0, this.#units[state] ?? 0);
      }
      const fallback = this.#fallbacks[state] ?? 0;
      if (this.longest[state] === 0) this.longest[state] = this.longest[fallback] ?? 0;
      if (this.unfinished[state] === 0) this.unfinished[state] = this.unfinished[fallback] ?? 0;
    }
  }

  /** All but the first. */
  #byDepth(): Int32Array {
    const depths = this.depths.subarray(1, this.#states);
    const starts = new Int32Array(depths.reduce((most, depth) => Math.max(most, depth), 0) + 2);
    for (const depth of depths) starts[depth + 1] = (starts[depth + 1] ?? 0) + 1;
    for (let depth = 1; depth < starts.length; depth++) starts[depth] = (starts[depth] ?? 0) + (starts[depth - 1] ?? 0);
    const sorted = new Int32Array(depths.length);
    depths.forEach((depth, at) => {
      const place = starts[depth] ?? 0;
      sorted[place] = at + 1;
      starts[depth] = place + 1;
    });
    return sorted;
  }
}
