/**
 * How large a centimetre is on this screen, kept in this browser under one key.
 */

const CALIBRATION = "carom-pixels-per-centimetre";

/** CSS pixels in a centimetre of this screen, as it was calibrated, or CSS's own. */
export function pixelsPerCentimetre() {
  try {
    const kept = Number(localStorage.getItem(CALIBRATION));
    if (kept > 5 && kept < 1000) return kept;
  } catch {
    // A page without storage is not calibrated.
  }
  return 96 / 2.54;
}

/** Whether this screen has been calibrated. */
export function calibrated() {
  try {
    return localStorage.getItem(CALIBRATION) !== null;
  } catch {
    return false;
  }
}

/**
 * Keeps the calibration of this screen.
 * @param {number} pixels
 */
export function calibrate(pixels) {
  if (!(pixels > 5 && pixels < 1000)) throw new RangeError("A centimetre has between 5 and 1000 pixels.");
  try {
    localStorage.setItem(CALIBRATION, String(pixels));
  } catch {
    // It holds for this visit's defaults only.
  }
}
