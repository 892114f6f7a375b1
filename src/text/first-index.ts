/**
 * Binary search: returns the first of `length` positions at which `holds` is true, or `length`. `holds` must stay true
 * from there on.
 */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
