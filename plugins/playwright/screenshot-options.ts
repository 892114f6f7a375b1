import { createHash } from 'node:crypto';
import type { PageAssertionsToHaveScreenshotOptions, TestInfo } from '@playwright/test';
import { type Message, OptionError } from '../../src/client/index.ts';
import { checkOptions, checkThat, isPlain, shown } from '../../src/client/internal.ts';

/** A colour scheme of the reader's mail program. */
export type Scheme = 'light' | 'dark';

/** The options of Playwright's `toHaveScreenshot` that make sense for a mail. */
type PlaywrightOptions = Omit<PageAssertionsToHaveScreenshotOptions, 'mask' | 'signal' | 'clip'>;

/**
 * The options of `toHaveScreenshot` for a message.
 *
 * @example await expect(message).toHaveScreenshot({ widths: { phone: 375 }, mask: '.code' });
 */
export interface MailScreenshotOptions extends PlaywrightOptions {
  /**
   * The name of the snapshot, as in Playwright's `toHaveScreenshot`; the title of the test and a number if left out.
   */
  readonly name?: string | readonly string[];
  /** The colour schemes; `['light', 'dark']` if left out. */
  readonly schemes?: readonly Scheme[];
  /** The widths in CSS pixels, by the names that the files get; `{ phone: 375, desktop: 800 }` if left out. */
  readonly widths?: Readonly<Record<string, number>>;
  /** Selectors of elements that differ from run to run, such as a code. A box covers them. None if left out. */
  readonly mask?: string | readonly string[];
}

/** A screenshot to take. */
export interface Shot {
  readonly scheme: Scheme;
  readonly width: number;
  /** The name of the screenshot in a failure message. */
  readonly title: string;
  /** The path segments of the snapshot's name, as Playwright expects them. */
  readonly name: string[];
}

export interface ScreenshotPlan {
  readonly shots: readonly Shot[];
  /** The selectors of the elements to cover. */
  readonly mask: readonly string[];
  readonly options: PlaywrightOptions;
}

const SCHEMES: readonly Scheme[] = ['light', 'dark'];
const WIDTHS: Readonly<Record<string, number>> = { phone: 375, desktop: 800 };
const MAX_WIDTH = 4_000;
/** The longest name made from a title, in characters. A file name has at most 255 bytes, and Playwright adds to it. */
const LONGEST_NAME = 80;

const ofPlaywright = () => {};
const CHECKS = {
  name: checkThat('a string or a list of strings', isName),
  schemes: checkThat(
    "a list of 'light' and 'dark'",
    (value) => Array.isArray(value) && value.length > 0 && value.every((one) => SCHEMES.includes(one)),
  ),
  widths: (name: string, value: unknown) => {
    if (isPlain(value) && Object.keys(value).length > 0 && Object.entries(value).every(isWidth)) return;
    throw new OptionError(
      `${name} must be an object: its keys consist of a-z, 0-9 and -, and its values are whole numbers from 1 to ${MAX_WIDTH}; it is ${shown(value)}.`,
      'As in { phone: 375, desktop: 800 }.',
    );
  },
  mask: checkThat('a selector or a list of selectors', (value) => typeof value === 'string' || isTexts(value)),
  animations: ofPlaywright,
  caret: ofPlaywright,
  fullPage: ofPlaywright,
  maskColor: ofPlaywright,
  maxDiffPixelRatio: ofPlaywright,
  maxDiffPixels: ofPlaywright,
  omitBackground: ofPlaywright,
  scale: ofPlaywright,
  stylePath: ofPlaywright,
  threshold: ofPlaywright,
  timeout: ofPlaywright,
};

/** Reads the arguments of `toHaveScreenshot`: a name, options, or both. Throws an OptionError for an invalid one. */
export function planScreenshots(info: TestInfo, nameOrOptions: unknown, more: unknown): ScreenshotPlan {
  const isNamed = isName(nameOrOptions);
  const given = isNamed ? more : (nameOrOptions ?? more);
  checkOptions('The options object of toHaveScreenshot', given ?? {}, CHECKS);
  // The cast is safe, because the checks above have seen every field.
  const { name, schemes = SCHEMES, widths = WIDTHS, mask = [], ...options } = (given ?? {}) as MailScreenshotOptions;
  const asked = isNamed ? nameOrOptions : name;
  const path = asked === undefined ? [titleOf(info)] : typeof asked === 'string' ? [asked] : [...asked];
  const shots = [...new Set(schemes)].flatMap((scheme) =>
    Object.entries(widths).map(([size, width]) => ({
      scheme,
      width,
      title: `${scheme}, ${size} (${width} px)`,
      name: [...path.slice(0, -1), withSuffix(path.at(-1) ?? '', `-${scheme}-${size}`)],
    })),
  );
  return { shots, mask: typeof mask === 'string' ? [mask] : mask, options };
}

/** Puts a suffix before the extension of an image, and adds the extension if there is none. */
function withSuffix(name: string, suffix: string): string {
  const [extension = '.png'] = /\.(?:png|webp)$/i.exec(name) ?? [];
  const stem = name.toLowerCase().endsWith(extension.toLowerCase()) ? name.slice(0, -extension.length) : name;
  return `${stem}${suffix}${extension}`;
}

const counts = new WeakMap<TestInfo, number>();

/** Names a screenshot by the test's title and its number in the test, as Playwright does. */
function titleOf(info: TestInfo): string {
  const count = (counts.get(info) ?? 0) + 1;
  counts.set(info, count);
  const [, ...titles] = info.titlePath;
  const title = titles.join(' ');
  const plain = title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '');
  if (plain.length <= LONGEST_NAME) return `${plain}-${count}`;
  const hash = createHash('sha256').update(title).digest('hex').slice(0, 8);
  return `${plain.slice(0, LONGEST_NAME)}-${hash}-${count}`;
}

function isName(value: unknown): value is string | readonly string[] {
  return (typeof value === 'string' && value !== '') || (isTexts(value) && value.length > 0 && !value.includes(''));
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isWidth([name, width]: [string, unknown]): boolean {
  return /^[a-z0-9-]{1,40}$/i.test(name) && Number.isInteger(width) && Number(width) > 0 && Number(width) <= MAX_WIDTH;
}

/** Tells whether a subject of `expect` is a message. */
export function isMessage(subject: unknown): subject is Message {
  return typeof subject === 'object' && subject !== null && 'checks' in subject && 'html' in subject;
}
