/**
 * Words that the stage itself shows, in English; the shell hands in other languages by the same keys.
 */

const WORDS = {
  "stage.label": "Stage. Arrow keys, Tab and Space act on the balls. F6 leaves the stage. Press ? for all keys.",
  "stage.legend.next": "next collision",
  "stage.legend.selected": "selected",
  "stage.legend.velocity": "velocity",
  "stage.legend.momentum": "momentum",
  "stage.legend.force": "force",
  "stage.legend.centre": "centre of mass",
  "stage.legend.companion": "comparison",
  "stage.lost": "Connection lost. Trying again…",
  "stage.lost-long": "There is no connection to the laboratory. If it was stopped, start it again and open the address that it prints.",
  "stage.lost-ended": "This bench has ended. Load the page anew.",
  "stage.chart.kinetic": "kinetic",
  "stage.chart.potential": "potential",
  "stage.chart.total": "total",
  "stage.chart.energy": "Energy over time",
  "stage.chart.momentum": "Momentum over time",
  "stage.chart.speeds": "speeds",
  "stage.chart.maxwell": "Maxwell",
  "stage.chart.histogram": "Histogram of speeds",
  "stage.timeline": "Time",
  "stage.no-corner": "There is no corner here. Drag a corner of a polygon or a block; those that can be moved are marked.",
  "stage.no-ball": "Begin on a ball and drag to another one to link them.",
};

/**
 * A function from a key to words: those of `texts`, or English.
 * @param {?Record<string, string>} texts
 * @returns {Carom.Say}
 */
export function speaker(texts) {
  return (key) => (typeof texts?.[key] === "string" ? texts[key] : (WORDS[key] ?? key));
}
