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
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
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

/** The part of a refusal that a sentence needs. */
interface SaidRefusal {
  readonly filter: string;
  readonly wanted: string;
  readonly saw: readonly string[];
}

/**
 * Says why a condition of a wait rejected a message, as in `its subject is "Welcome"`. `quote` makes a text from a
 * mail harmless and quotes it. Every surface says it with these words.
 */
export function saidRefusal({ filter, wanted, saw }: SaidRefusal, quote: (text: string) => string): string {
  const seen = saw.map(quote).join(', ');
  switch (filter) {
    case 'code':
      return 'it has no code';
    case 'link': {
      const kind = wanted === 'any' ? 'no link' : `no link of the kind ${quote(wanted)}`;
      return seen === '' ? `it has ${kind}` : `it has ${kind}, but ${seen}`;
    }
    case 'body':
      return seen === '' ? 'its body is empty' : `its body has no ${quote(wanted)}: it is ${seen}`;
    case 'header':
      return seen === '' ? `it has no header ${quote(wanted)}` : `its header is not ${quote(wanted)}: it is ${seen}`;
    case 'query':
      return `${quote(wanted)} does not match${seen === '' ? '' : `: it has ${seen}`}`;
    default:
      return seen === '' ? `its ${filter} is empty` : `its ${filter} is ${seen}`;
  }
}

/** The option that helps, as the command line and the page name it. */
const STARTTLS = {
  'command line': ['--starttls off', 'start mailcap with --starttls on'],
  page: ['the option starttls', 'start the server with the option starttls set to on'],
} as const;

/**
 * Says that an SMTP client sent nothing because it did not get STARTTLS, and which option helps. Empty if that was not
 * the reason.
 */
export function saidMissedTls(
  { tls, accepted }: { readonly tls: string; readonly accepted: number },
  where: keyof typeof STARTTLS = 'command line',
): string {
  if (accepted > 0) return '';
  const [option, start] = STARTTLS[where];
  const advice = `${start}, or turn TLS off in the app`;
  if (tls === 'refused') return `it asked for STARTTLS, which ${option} refuses: ${advice}`;
  if (tls === 'missed') return `it left right after EHLO, where STARTTLS is not offered; if it requires TLS, ${advice}`;
  return '';
}
