import {
  Activity,
  Check,
  ChevronDown,
  CircleAlert,
  Clock,
  Ellipsis,
  Hourglass,
  Inbox,
  KeyRound,
  ListChecks,
  Mail,
  MailOpen,
  Moon,
  Paperclip,
  Plus,
  Rows3,
  Search,
  Send,
  Smartphone,
  Star,
  Sun,
  SunMoon,
  Webhook,
  Wrench,
  X,
} from 'lucide';
import { createElement } from 'react';
import type { MORE_ICONS } from './more-icons.ts';

type IconNode = typeof Search;

/** The icons of the first view. */
const FIRST_ICONS = {
  activity: Activity,
  alert: CircleAlert,
  check: Check,
  clock: Clock,
  close: X,
  down: ChevronDown,
  inbox: Inbox,
  key: KeyRound,
  mail: Mail,
  moon: Moon,
  more: Ellipsis,
  open: MailOpen,
  phone: Smartphone,
  plus: Plus,
  clip: Paperclip,
  rows: Rows3,
  runs: ListChecks,
  search: Search,
  send: Send,
  star: Star,
  sun: Sun,
  system: SunMoon,
  tools: Wrench,
  wait: Hourglass,
  webhook: Webhook,
} as const;

export type IconName = keyof typeof FIRST_ICONS | keyof typeof MORE_ICONS;

const icons: Partial<Record<IconName, IconNode>> = { ...FIRST_ICONS };

/** Adds the icons of the views that are loaded later. */
export function addIcons(more: typeof MORE_ICONS): void {
  Object.assign(icons, more);
}

/** A decorative icon. Screen readers skip it, because a text beside it has the meaning. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {(icons[name] ?? []).map(([tag, attributes], index) => createElement(tag, { key: index, ...attributes }))}
    </svg>
  );
}
