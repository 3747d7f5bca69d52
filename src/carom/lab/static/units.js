/**
 * Numbers with SI units for people, and round steps.
 */

/** @type {[number, string][]} */
const PREFIXES = [
  [1e-15, "f"], [1e-12, "p"], [1e-9, "n"], [1e-6, "µ"], [1e-3, "m"], [1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"], [1e12, "T"],
];
const ASTRONOMICAL = 1.495978707e11;
/** @type {[number, string][]} */
const SPANS = [[31557600, "a"], [86400, "d"], [3600, "h"], [60, "min"]];

/**
 * Up to `digits` significant digits, without a tail of zeros, with a true minus sign.
 * @param {number} value
 * @param {number} [digits]
 */
export function number(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [head, power] = value.toExponential(digits - 1).split("e");
    return `${trim(head)}·10${superscript(Number(power))}`.replace("-", "−");
  }
  return trim(value.toPrecision(digits).includes("e") ? String(Math.round(value)) : value.toPrecision(digits)).replace("-", "−");
}

const trim = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
const superscript = (power) => String(power).replace(/[-\d]/g, (sign) => (sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(sign)]));

/**
 * A value with a unit that takes prefixes: 0.0012, "m" → "1.2 mm".
 * @param {number} value
 * @param {string} unit
 * @param {number} [digits]
 */
export function withUnit(value, unit, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return `0 ${unit}`;
  const size = Math.abs(value) * (1 + 1e-9);
  let chosen = PREFIXES[0];
  for (const prefix of PREFIXES) if (size >= prefix[0]) chosen = prefix;
  return `${number(value / chosen[0], digits)} ${chosen[1]}${unit}`;
}

/**
 * A length: fm … km, then AU.
 * @param {number} metres
 * @param {number} [digits]
 */
export function length(metres, digits = 3) {
  const size = Math.abs(metres);
  if (size >= 0.01 * ASTRONOMICAL) return `${number(metres / ASTRONOMICAL, digits)} AU`;
  if (size >= 1e3) return `${number(metres / 1e3, digits)} km`;
  if (size >= 0.00999 && size < 0.9999) return `${number(metres * 100, digits)} cm`;
  return withUnit(metres, "m", digits);
}

/**
 * A speed: m/s, with prefixes where it is very small, and km/s.
 * @param {number} value
 * @param {number} [digits]
 */
export function speed(value, digits = 3) {
  const size = Math.abs(value);
  if (size >= 1e4) return `${number(value / 1e3, digits)} km/s`;
  if (size >= 0.01) return `${number(value, digits)} m/s`;
  return withUnit(value, "m/s", digits);
}

/**
 * A time: from seconds with prefixes to minutes, hours, days and years.
 * @param {number} seconds
 * @param {number} [digits]
 */
export function time(seconds, digits = 3) {
  return timeIn(seconds)(seconds, digits);
}

/**
 * The unit of time, [seconds, name], which suits `span`.
 * @param {number} span
 * @returns {[number, string]}
 */
export function unitOfTime(span) {
  const size = Math.abs(span);
  /** @type {[number, string]} */
  let chosen = [1, "s"];
  for (const one of [...SPANS].reverse()) if (size >= 2 * one[0]) chosen = one;
  if (size > 0 && size < 0.1) for (const [part, prefix] of PREFIXES) if (part < 1 && size >= part) chosen = [part, `${prefix}s`];
  return chosen;
}

/**
 * A function that says times in the unit which suits `span`, so that all places of an axis are alike.
 * @param {number} span
 */
export function timeIn(span) {
  const [unit, name] = unitOfTime(span);
  return (seconds, digits = 3) => `${number(seconds / unit, digits)} ${name}`;
}

/**
 * The largest of 1, 2, 5 × 10^k that is not above `value`.
 * @param {number} value
 */
export function roundStep(value) {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const lead = (value / power) * (1 + 1e-12);
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

/**
 * A round length of a ruler: 1-2-5 of the unit in which it is said (AU too).
 * @param {number} longest
 */
export function rulerLength(longest) {
  if (longest >= 0.01 * ASTRONOMICAL) return roundStep(longest / ASTRONOMICAL) * ASTRONOMICAL;
  return roundStep(longest);
}

/**
 * Round places on an axis from `low` to `high`, about `wanted` of them.
 * @param {number} low
 * @param {number} high
 * @param {number} [wanted]
 */
export function ticks(low, high, wanted = 4) {
  const step = roundStep((high - low) / Math.max(1, wanted - 0.5));
  const places = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && places.length < 50; k += 1) places.push(k * step);
  return places;
}
