import {
  ArrowLeft,
  ArrowLeftRight,
  Bell,
  ChevronUp,
  Code,
  Columns2,
  Copy,
  Download,
  ExternalLink,
  Eye,
  FileText,
  Flag,
  Image,
  Link,
  Monitor,
  Printer,
  Trash2,
  Undo2,
} from 'lucide';

/** A tablet lies on its side, because upright it looks like a phone. */
const TABLET: typeof Trash2 = [
  ['rect', { width: '20', height: '16', x: '2', y: '4', rx: '2' }],
  ['path', { d: 'M18 12h.01' }],
];

/** The icons that the first view does not need. They are loaded with the first other view. */
export const MORE_ICONS = {
  back: ArrowLeft,
  bell: Bell,
  code: Code,
  compare: Columns2,
  copy: Copy,
  desktop: Monitor,
  download: Download,
  external: ExternalLink,
  eye: Eye,
  file: FileText,
  flag: Flag,
  image: Image,
  link: Link,
  print: Printer,
  replay: Undo2,
  swap: ArrowLeftRight,
  tablet: TABLET,
  trash: Trash2,
  up: ChevronUp,
} as const;
