/** @param {number[]} values */
export function median(values) {
  return percentile(values, 50);
}

/** Interpolates linearly between the two nearest ranks. @param {number[]} values @param {number} p 0 to 100 */
export function percentile(values, p) {
  if (values.length === 0) throw new Error('no values to take a percentile of');
  const sorted = [...values].sort((a, b) => a - b);
  const position = ((sorted.length - 1) * p) / 100;
  const below = Math.floor(position);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (position - below);
}

/** Formats the median and the range of values: `1,234 (1,100 to 1,300)`. */
export function spread(values, digits = 0) {
  const write = (value) => number(value, digits);
  return `${write(median(values))} (${write(Math.min(...values))} to ${write(Math.max(...values))})`;
}

/** Formats a number: `1,234.5`. */
export function number(value, digits = 0) {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
