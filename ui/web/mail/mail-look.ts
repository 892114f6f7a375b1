import { useEffect, useState } from 'react';
import { NEXT_WIDTH } from '../on-command.ts';
import type { IconName } from '../parts/Icon.tsx';
import { useShell } from '../use-shell.ts';

const WIDTH = 'mailcap.width';
const DARK = 'mailcap.mail-dark';
const HOSTS = 'mailcap.hosts';

export const WIDTHS: readonly { readonly name: string; readonly icon: IconName; readonly pixels: number | null }[] = [
  { name: 'Phone', icon: 'phone', pixels: 390 },
  { name: 'Tablet', icon: 'tablet', pixels: 820 },
  { name: 'Desktop', icon: 'desktop', pixels: null },
];

/** The kinds of content that may be loaded from each host. */
export type KindsByHost = Readonly<Record<string, readonly string[]>>;

/** The reader's settings for showing mails: width, colours, and the hosts from which content may be loaded. */
export interface MailLook {
  readonly width: string;
  /** The width in pixels; null for the full width. */
  readonly pixels: number | null;
  readonly dark: boolean;
  readonly allowed: KindsByHost;
  setWidth(name: string): void;
  setDark(dark: boolean): void;
  allow(allowed: KindsByHost): void;
}

/** Returns the reader's settings for showing mails. The browser stores them. */
export function useMailLook(): MailLook {
  const { machine } = useShell();
  const [allowed, setAllowed] = useState<KindsByHost>(() => parseHosts(machine.kept(HOSTS)));
  const [width, setWidth] = useState(() => machine.kept(WIDTH) ?? 'Desktop');
  const [dark, setDark] = useState(() => machine.kept(DARK) === 'yes');
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
    dark,
    allowed,
    setWidth: pick,
    setDark: (next) => {
      machine.keep(DARK, next ? 'yes' : 'no');
      setDark(next);
    },
    allow: (next) => {
      machine.keep(HOSTS, JSON.stringify(next));
      setAllowed(next);
    },
  };
}

function parseHosts(text: string | null): KindsByHost {
  try {
    const parsed: unknown = JSON.parse(text ?? '{}');
    if (typeof parsed !== 'object' || parsed === null) return {};
    return Object.fromEntries(
      Object.entries(parsed).filter(
        (entry): entry is [string, string[]] =>
          Array.isArray(entry[1]) && entry[1].every((host) => typeof host === 'string'),
      ),
    );
  } catch {
    return {};
  }
}
