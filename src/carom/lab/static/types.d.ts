/**
 * Types that the browser's modules share, for the checker only (`make types`); no page loads this file. Messages of the server are those of
 * docs/lab.md. A module says `@param {Carom.Frame} frame`; nothing is imported for it.
 */

declare namespace Carom {
  type Bench = import("./bench.js").Bench;
  type Looks = import("./colours.js").Looks;
  type Colours = ReturnType<typeof import("./colours.js").colours>;
  type Frame = ReturnType<typeof import("./protocol.js").parseFrame>;
  type Context = CanvasRenderingContext2D;
  type Vector = number[] | Float32Array;
  /** Puts words in the person's language for a key. */
  type Say = (key: string) => string;

  /** A wall or an obstacle, as the scene message has it. */
  interface Shape {
    kind: "box" | "loop" | "circle" | "cylinder" | "half-space" | "mesh";
    solid?: boolean;
    /** Which obstacle it is, for `drag-corner`. */
    of?: number;
    low?: number[];
    high?: number[];
    periodic?: boolean[];
    points?: number[][];
    holes?: number[][][];
    vertices?: number[][];
    centre?: number[];
    radius?: number;
    from?: number[];
    to?: number[];
    point?: number[];
    normal?: number[];
    faces?: number[][];
  }

  /** All that is drawn and does not move, relative to `origin`. */
  interface Scene {
    epoch: number;
    name: string;
    dimension: number;
    y_down?: boolean;
    origin: number[];
    bounds: number[][];
    radii: number[];
    masses?: number[];
    names?: string[] | null;
    fixed?: number[];
    colours?: number[] | null;
    links?: number[][];
    triangles?: number[][];
    walls?: Shape[];
    obstacles?: Shape[];
    attraction?: boolean;
    gravity?: number[];
  }

  interface Contact {
    time: number;
    place?: number[];
  }

  /** The ball that is looked at. */
  interface Ball {
    index: number;
    name: string | null;
    position: number[];
    velocity: number[];
    speed: number;
    force?: number[];
    momentum: number[];
    kinetic: number;
    mass: number;
    radius: number;
    fixed: boolean;
    last_collision: string | null;
    next_collision: string | null;
  }

  interface Meters {
    total: number | null;
    collisions: number | null;
    upcoming?: Contact[];
    centre_of_mass?: number[];
    speeds?: number[];
    speeds_end?: number;
    maxwell?: number[];
  }

  interface Note {
    kind: string;
    text: string;
    number?: number;
  }

  /** Everything that is shown in words and numbers. */
  interface State {
    entry: string;
    time: number;
    end: number;
    running: boolean;
    speed: number;
    pace: number;
    arrow_time?: number;
    rate: number;
    working: string | null;
    selected: number[];
    companions?: { name: string }[];
    meters: Meters;
    inspector: Ball | null;
    solving: { solver: string; has_forces: boolean; integrator?: string | null };
    steering: string;
    message: Note | null;
    collision_times?: number[];
    seq?: number;
    corner?: [string | number, number] | null;
  }

  /** New samples for the charts. */
  interface Chart {
    reset?: boolean;
    time?: number[];
    kinetic?: number[];
    potential?: number[];
    total?: number[];
    momentum?: number[][];
    motion?: number[];
    companions?: Record<string, number[]>;
  }

  /** What to call for each kind of message. `open(false, how)`: `how` is "long" or "ended" if waiting is of no use. */
  interface Hear {
    frame?(frame: Frame): void;
    scene?(scene: Scene): void;
    state?(state: State): void;
    chart?(chart: Chart): void;
    note?(note: Note): void;
    open?(open: boolean, how?: string): void;
    /** Of a notebook only. */
    about?(about: { kind?: string; start?: number }): void;
    working?(): void;
    alive?(): void;
  }

  /** The way to who runs the scene: a socket or a kernel. */
  interface Link {
    seq: number;
    done: number;
    send(name: string, args?: object): number;
    ack(number: number): void;
    want(velocities: boolean, forces: boolean): void;
    close(): void;
  }

  /** What both cameras can do. */
  interface Camera {
    dimension: number;
    width: number;
    height: number;
    x: number;
    y: number;
    z?: number;
    /** Pixels per metre; of the flat camera. */
    scale?: number;
    sign?: number;
    down?: boolean;
    up?: number[];
    gravity?: number[];
    distance?: number;
    focal?: number;
    touched: boolean;
    onchange(): void;
    place(): object;
    resize(width: number, height: number): void;
    step(now: number): boolean;
    project(...place: number[]): number[];
    unproject(left: number, top: number, anchor?: Vector): number[];
    scaleAt(anchor?: number[]): number;
    vector(dx: number, dy: number, anchor?: number[]): number[];
    pan(dx: number, dy: number): void;
    drag(dx: number, dy: number): void;
    zoom(factor: number, left?: number, top?: number): void;
    /** `more`: room at the edges in pixels, or whether what is there goes round. */
    fit(bounds: number[][], eased?: boolean, more?: any): void;
    realSize(eased?: boolean): void;
    basis?(): { right: number[]; up: number[]; forward: number[]; eye: number[] };
    range?(): number[];
  }

  interface Corner {
    shape: string | number;
    corner: number;
    place?: number[];
    now?: number[];
    keys?: boolean;
  }

  /** What the hand is doing, for those who draw it. */
  interface Hand {
    aim: { from: number[]; to: number[]; radius: number; value: number } | null;
    spring: { from: () => number[]; to: number[] } | null;
    joining: { from: () => number[]; to: number[] } | null;
    box: number[] | null;
    throwing: number[] | null;
    corner: Corner | null;
    corners: boolean;
  }

  /** Gets every move of a pointer and its end: `end` after it has moved, `click` if it has not. */
  interface Gesture {
    begin?(x: number, y: number): void;
    move?(x: number, y: number, dx?: number, dy?: number): void;
    end?(x: number, y: number): void;
    click?(x: number, y: number): void;
    cancel?(): void;
  }

  /** The tip of the selected ball's velocity. */
  interface Tip {
    x: number;
    y: number;
    tx: number;
    ty: number;
    handle: number[];
    velocity: number[];
    place: number[];
    index: number;
  }

  interface Key {
    key: string;
    command: string;
    with?: string[];
    arguments?: { field?: string; steps?: number; [name: string]: unknown };
  }

  /** What a view draws. */
  interface Picture {
    scene: Scene;
    radii: number[];
    frame: Frame | null;
    looks: Looks;
    camera: Camera;
    colour: Colours;
    ratio: number;
    layers?: Record<string, boolean>;
  }

  interface View {
    draw(what: Picture): void;
    destroy(): void;
  }

  /** What a bench is made of: elements, data and the way to who runs it. */
  interface About {
    stage: HTMLElement;
    timeline?: HTMLElement;
    energy?: HTMLElement;
    momentum?: HTMLElement;
    speeds?: HTMLElement;
    /** Of the socket; or `link` makes another way. */
    url?: string;
    link?: (hear: Hear) => Link;
    keymap?: Key[];
    texts?: Record<string, string>;
    theme?: string;
    palette?: string;
    reducedMotion?: boolean;
    webgl?: boolean;
    /** The hand changes nothing. */
    looking?: boolean;
  }

  /** The state of a notebook's widget, as anywidget hands it in. */
  interface Model {
    get(name: string): any;
    send(message: object): void;
    on(name: string, heard: (message: any, buffers: DataView[]) => void): void;
    off(name: string, heard: (message: any, buffers: DataView[]) => void): void;
  }
}

/** The bench of the page, and what the pages' own scripts call. */
// deno-lint-ignore no-var -- only `var` declares a name of the page
declare var carom: Carom.Bench;
// deno-lint-ignore no-var -- only `var` declares a name of the page
declare var caromShell: any;
// deno-lint-ignore no-var -- only `var` declares a name of the page
declare var caromPage: string;
