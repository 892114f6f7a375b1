import { useEffect, useState } from 'react';
import { type KindsByHost, keepHosts, keptHosts } from '../app/kept-hosts.ts';
import { NEXT_WIDTH } from '../on-command.ts';
import type { IconName } from '../parts/Icon.tsx';
import { useShell } from '../use-shell.ts';

const WIDTH = 'mailcap.width';
const DARK = 'mailcap.mail-dark';

export const WIDTHS: readonly { readonly name: string; readonly icon: IconName; readonly pixels: number | null }[] = [
  { name: 'Phone', icon: 'phone', pixels: 390 },
  { name: 'Tablet', icon: 'tablet', pixels: 820 },
  { name: 'Desktop', icon: 'desktop', pixels: null },
];

/** The ways to show the colours of a mail. The server simulates those of mail programs by their published rules. */
export const COLOURS = [
  { id: 'light', name: 'Light', isDark: false },
  { id: 'dark', name: 'Dark', isDark: true },
  // These programs ask style sheets for their colours in the dark, and the others do not.
  { id: 'outlook', name: 'Outlook.com and apps', isDark: true },
  { id: 'outlook-windows', name: 'Outlook on Windows', isDark: false },
  { id: 'gmail-android', name: 'Gmail on Android', isDark: false },
  { id: 'gmail-ios', name: 'Gmail on iOS', isDark: false },
] as const;
export type Colours = (typeof COLOURS)[number]['id'];

/** Returns the address of a view of a mail in these colours. */
export function viewIn(url: string, colours: Colours, isInert = false): string {
  const asked = new URLSearchParams();
  if (colours !== 'light' && colours !== 'dark') asked.set('dark', colours);
  if (isInert) asked.set('inert', '1');
  return asked.size === 0 ? url : `${url}?${asked}`;
}

/** The reader's settings for showing mails: width, colours, and the hosts from which content may be loaded. */
export interface MailLook {
  readonly width: string;
  /** The width in pixels; null for the full width. */
  readonly pixels: number | null;
  readonly colours: Colours;
  readonly allowed: KindsByHost;
  setWidth(name: string): void;
  setColours(colours: Colours): void;
  allow(allowed: KindsByHost): void;
}

/** Returns the reader's settings for showing mails. The browser stores them. */
export function useMailLook(): MailLook {
  const { machine } = useShell();
  const [allowed, setAllowed] = useState<KindsByHost>(() => keptHosts(machine));
  const [width, setWidth] = useState(() => machine.kept(WIDTH) ?? 'Desktop');
  const [colours, setColours] = useState<Colours>(() => (machine.kept(DARK) === 'yes' ? 'dark' : 'light'));
  const pick = (name: string) => {
    machine.keep(WIDTH, name);
    setWidth(name);
  };
  useEffect(() => {
    const next = () => {
      const at = WIDTHS.findIndex(({ name }) => name === width);
      const turned = WIDTHS[(at + 1) % WIDTHS.length];
      if (turned === undefined) return;
      machine.keep(WIDTH, turned.name);
      setWidth(turned.name);
    };
    addEventListener(NEXT_WIDTH, next);
    return () => removeEventListener(NEXT_WIDTH, next);
  }, [width, machine]);
  return {
    width,
    pixels: WIDTHS.find(({ name }) => name === width)?.pixels ?? null,
    colours,
    allowed,
    setWidth: pick,
    setColours: (next) => {
      // A simulation is a look at one mail, and the next one begins without it.
      machine.keep(DARK, next === 'dark' ? 'yes' : 'no');
      setColours(next);
    },
    allow: (next) => {
      keepHosts(machine, next);
      setAllowed(next);
    },
  };
}
