import {
  Activity,
  ArrowLeft,
  ArrowLeftRight,
  Bell,
  Check,
  ChevronDown,
  ChevronUp,
  CircleAlert,
  Clock,
  Code,
  Columns2,
  Copy,
  Download,
  Ellipsis,
  ExternalLink,
  Eye,
  FileText,
  Flag,
  Hourglass,
  Image,
  Inbox,
  KeyRound,
  Link,
  Mail,
  MailOpen,
  Monitor,
  Moon,
  Paperclip,
  Plus,
  Printer,
  Rows3,
  Search,
  Send,
  Smartphone,
  Star,
  Sun,
  SunMoon,
  Tablet,
  Trash2,
  Undo2,
  Webhook,
  Wrench,
  X,
} from 'lucide';
import { createElement } from 'react';

const ICONS = {
  activity: Activity,
  alert: CircleAlert,
  back: ArrowLeft,
  bell: Bell,
  check: Check,
  clock: Clock,
  close: X,
  code: Code,
  compare: Columns2,
  copy: Copy,
  desktop: Monitor,
  download: Download,
  down: ChevronDown,
  external: ExternalLink,
  eye: Eye,
  file: FileText,
  flag: Flag,
  image: Image,
  inbox: Inbox,
  key: KeyRound,
  link: Link,
  mail: Mail,
  moon: Moon,
  more: Ellipsis,
  open: MailOpen,
  clip: Paperclip,
  phone: Smartphone,
  plus: Plus,
  print: Printer,
  replay: Undo2,
  rows: Rows3,
  search: Search,
  send: Send,
  star: Star,
  sun: Sun,
  swap: ArrowLeftRight,
  system: SunMoon,
  tablet: Tablet,
  tools: Wrench,
  trash: Trash2,
  up: ChevronUp,
  wait: Hourglass,
  webhook: Webhook,
} as const;

export type IconName = keyof typeof ICONS;

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
      {ICONS[name].map(([tag, attributes], index) => createElement(tag, { key: index, ...attributes }))}
    </svg>
  );
}
