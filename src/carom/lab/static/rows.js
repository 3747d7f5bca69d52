/**
 * Commands in rows of which only the last counts, such as the places of a ball that is dragged.
 */

const PATIENCE = 400;

/** While one command of a name is under way the next waits, and the latest wins. */
export class Rows {
  /** @param {(name: string, args: object) => number} send gives its number. @param {() => number} done the last number done. */
  constructor(send, done) {
    this.send = send;
    this.done = done;
    this.rows = new Map();
  }

  /** Sends it, or lets it wait; `args` may be a function that makes them when they go. */
  put(name, args) {
    const row = this.rows.get(name);
    if (row && row.seq > this.done() && performance.now() - row.at < PATIENCE) {
      row.next = args;
      row.timer ??= setTimeout(() => this.flow(true), PATIENCE);
      return;
    }
    clearTimeout(row?.timer);
    this.rows.set(name, { seq: this.send(name, typeof args === "function" ? args() : args), at: performance.now(), next: null });
  }

  /** Lets those go on whose last has been done; `all`: every one. */
  flow(all = false) {
    for (const [name, row] of [...this.rows]) {
      if (!all && row.seq > this.done()) continue;
      clearTimeout(row.timer);
      this.rows.delete(name);
      if (row.next) this.put(name, row.next);
    }
  }

  /** Sends at once what waits. */
  flush() {
    this.flow(true);
    this.drop();
  }

  /** Forgets what waits. */
  drop() {
    for (const row of this.rows.values()) clearTimeout(row.timer);
    this.rows.clear();
  }
}
