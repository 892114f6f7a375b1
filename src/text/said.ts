// Formats times and sizes for people.

const DAY_MS = 86_400_000;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats a time in the reader's time zone: `14:03` for today, else `yesterday`, `Mon 12 Nov` or `12 Nov 2024`. */
export function saidTime(at: number, now: number): string {
  const then = new Date(at);
  const days = Math.round((midnight(now) - midnight(at)) / DAY_MS);
  if (days === 0) return clock(then);
  if (days === 1) return 'yesterday';
  const date = `${then.getDate()} ${MONTHS[then.getMonth()]}`;
  const isRecent = days > 0 && then.getFullYear() === new Date(now).getFullYear();
  return isRecent ? `${WEEKDAYS[then.getDay()]} ${date}` : `${date} ${then.getFullYear()}`;
}

/** Formats a time as {@link saidTime} does, but to the second if it is today. */
export function saidExactTime(at: number, now: number): string {
  if (midnight(at) !== midnight(now)) return saidTime(at, now);
  const then = new Date(at);
  return `${clock(then)}:${two(then.getSeconds())}`;
}

/** Formats a day and its time, to the second. */
export function saidMoment(at: number, now: number): string {
  const then = new Date(at);
  const day = saidTime(at, now);
  const time = `${clock(then)}:${two(then.getSeconds())}`;
  return midnight(at) === midnight(now) ? `today, ${time}` : `${day}, ${time}`;
}

/**
 * Formats a time by how long ago it was: `now`, `12 s ago`, `3 min ago` or `2 h ago`, and from yesterday on like
 * {@link saidMoment}.
 */
export function saidAgo(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1_000);
  // A clock may have been set back, or the two clocks differ a little.
  if (seconds < -60 || midnight(at) !== midnight(now)) return saidMoment(at, now);
  if (seconds < 5) return 'now';
  if (seconds < 60) return `${seconds} s ago`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
}

/** Formats a size, such as `812 B`, `2.1 KB` or `14 MB`. */
export function saidSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB'];
  let value = bytes / 1_000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function saidCount(count: number, one: string, many = `${one}s`): string {
  return `${saidNumber(count)} ${count === 1 ? one : many}`;
}

function clock(time: Date): string {
  return `${two(time.getHours())}:${two(time.getMinutes())}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function midnight(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

/** Writes a whole number with commas between thousands. Only large ones load the tables of Intl, as a command waits for them. */
export function saidNumber(count: number): string {
  return count < 1_000 ? `${count}` : count.toLocaleString('en-US');
}
