/**
 * The way to the kernel, in place of the laboratory's socket: the same words and bytes as messages of the widget.
 */

import { parseFrame } from "./protocol.js";

const name = () => Math.random().toString(36).slice(2);
/** One for each load of a page. */
const PAGE = (globalThis.caromPage ??= name());

/** Frames and words in; acknowledgements and commands out. */
export class KernelLink {
  /**
   * @param {Carom.Model} model The widget's.
   * @param {Carom.Hear} hear As for a `Connection`; also `about`.
   */
  constructor(model, hear) {
    this.model = model;
    this.hear = hear;
    this.seq = 0;
    this.done = 0;
    this.drawn = 0;
    this.acked = 0;
    /** Whether anybody can see it: unseen frames are not acknowledged, and so no more come. */
    this.seen = true;
    this.heard = (message, buffers) => this._take(message, buffers);
    model.on("msg:custom", this.heard);
    this.who = { page: PAGE, view: name() };
  }

  /** Tells the kernel that there is a new view, which gets everything. */
  open() {
    this.model.send({ hello: this.who });
  }

  _take(message, buffers) {
    this.hear.alive?.();
    if (buffers?.length) this.frame(buffers[0]);
    for (const [kind, told] of Object.entries(message ?? {})) {
      if (kind === "state") {
        this.seq = Math.max(this.seq, told.seq ?? 0);
        this.done = Math.max(this.done, told.seq ?? 0);
      }
      this.hear[kind]?.(told);
    }
  }

  /** A frame as bytes, from the kernel or from what the notebook keeps. */
  frame(bytes) {
    let frame;
    try {
      frame = parseFrame(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    } catch (error) {
      this.hear.note?.({ kind: "error", text: error.message });
      return;
    }
    this.done = Math.max(this.done, frame.seq);
    this.hear.frame?.(frame);
  }

  send(command, args = {}) {
    this.seq += 1;
    this.model.send({ seq: this.seq, do: command, with: args });
    return this.seq;
  }

  /** Frames that were drawn or dropped are acknowledged together, once a picture: it sets the pace of the kernel. */
  ack(number) {
    this.drawn = Math.max(this.drawn, number);
    this.asked ||= requestAnimationFrame(() => {
      this.asked = 0;
      if (!this.seen || this.acked >= this.drawn) return;
      this.acked = this.drawn;
      this.model.send({ ack: this.acked });
    });
  }

  /** Somebody sees it, or nobody does. */
  see(seen) {
    this.seen = seen;
    if (seen && this.drawn > this.acked) this.ack(this.drawn);
  }

  want(velocities, forces) {
    if (this.wanted?.velocities === velocities && this.wanted?.forces === forces) return;
    const first = !this.wanted;
    this.wanted = { velocities, forces };
    if (!first || velocities || forces) this.model.send({ want: this.wanted });
  }

  close() {
    cancelAnimationFrame(this.asked);
    this.model.off("msg:custom", this.heard);
    this.model.send({ bye: this.who });
  }
}
