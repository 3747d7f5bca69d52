/**
 * Which view and which camera a scene needs, and how it is first seen.
 */

import { BallCanvas } from "./ball_canvas.js";
import { BallView } from "./ball_view.js";
import { FlatCamera, OrbitCamera } from "./camera.js";
import { SolidCanvas } from "./solid_canvas.js";
import { SolidView } from "./solid_view.js";

/** How planets are first seen: from above, tilted. */
export const FROM_ABOVE = Object.freeze({ azimuth: 0, elevation: 0.95 });

/**
 * The view of a dimension on a fresh canvas, and whether it draws solids itself; without WebGL2 the one that needs none.
 * @param {number} dimension
 * @param {boolean} webgl
 * @param {() => HTMLCanvasElement} fresh
 * @param {() => void} lost
 * @returns {{view: Carom.View, solid: boolean}}
 */
export function viewOf(dimension, webgl, fresh, lost) {
  const view = webgl ? (dimension === 3 ? SolidView : BallView).on(fresh(), lost) : null;
  if (view) return { view, solid: dimension === 3 };
  return { view: new (dimension === 3 ? SolidCanvas : BallCanvas)(fresh()), solid: false };
}

/**
 * The camera of a dimension.
 * @param {number} dimension
 * @returns {Carom.Camera}
 */
export function cameraOf(dimension) {
  return dimension === 3 ? new OrbitCamera() : new FlatCamera();
}

/**
 * Whether nothing bounds a 3D scene, as with planets.
 * @param {Carom.Scene} scene
 */
export function isOpen({ dimension, walls, obstacles }) {
  return dimension === 3 && !walls?.length && !obstacles?.length;
}

/**
 * Shows all of a scene; planets go round about a plane, so that it needs little room above it.
 * @param {Carom.Camera} camera
 * @param {Carom.Scene} scene
 * @param {boolean} eased
 */
export function fitted(camera, scene, eased) {
  const { bounds } = scene;
  if (!isOpen(scene)) {
    camera.fit(bounds, eased);
    return;
  }
  const across = camera.up.map((part) => 1 - 0.9 * Math.abs(part));
  const flat = [-1, 1].map((sign) => bounds[0].map((low, k) => (low + bounds[1][k]) / 2 + (sign * across[k] * (bounds[1][k] - low)) / 2));
  camera.fit(flat, eased, true);
}
