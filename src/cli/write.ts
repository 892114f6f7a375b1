// This module formats times and sizes for people.

/** Formats a time in the reader's time zone, to the second. */
export function writeMoment(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return time;
  const two = (number: number) => `${number}`.padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

/** Formats the time of day. */
export function writeTimeOfDay(time: string): string {
  return writeMoment(time).slice(-8);
}

export function writeSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const [unit, size] =
    bytes < 1_024 ** 2 ? ['KB', 1_024] : bytes < 1_024 ** 3 ? ['MB', 1_024 ** 2] : ['GB', 1_024 ** 3];
  const number = bytes / size;
  return `${number < 10 ? number.toFixed(1) : Math.round(number)} ${unit}`;
}
