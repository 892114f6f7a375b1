import { useEffect, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import type { MessageFrame } from '../../shell/api.ts';
import { Button, Failed, IconButton, Skeleton } from '../parts/controls.tsx';
import type { IconName } from '../parts/Icon.tsx';
import { useLoaded, useShell } from '../use-shell.ts';

const WIDTHS: readonly { readonly name: string; readonly icon: IconName; readonly pixels: number | null }[] = [
  { name: 'Phone', icon: 'phone', pixels: 390 },
  { name: 'Tablet', icon: 'tablet', pixels: 820 },
  { name: 'Desktop', icon: 'desktop', pixels: null },
];
const WIDTH = 'mailcap.width';
const DARK = 'mailcap.mail-dark';
const HOSTS = 'mailcap.hosts';

/** The kinds of content that may be loaded, by host. */
type Allowed = Readonly<Record<string, readonly string[]>>;

/** The event that a key sends to switch to the next width. */
export const NEXT_WIDTH = 'mailcap-next-width';

/**
 * Shows the HTML of a mail in a frame. The frame runs no scripts and has no origin. It loads only from hosts that the
 * reader allowed, because the server's content security policy blocks all others.
 */
export function HtmlView({ messageId }: { readonly messageId: string }) {
  const shell = useShell();
  const { machine } = shell;
  const [allowed, setAllowed] = useState<Allowed>(() => parseHosts(machine.kept(HOSTS)));
  const [width, setWidth] = useState(() => machine.kept(WIDTH) ?? 'Desktop');
  const [dark, setDark] = useState(() => machine.kept(DARK) === 'yes');
  const {
    value: frame,
    failure,
    slow,
    reload,
  } = useLoaded(`frame ${messageId} ${JSON.stringify(allowed)}`, () => shell.api.frame(messageId, allowed));
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
  if (failure !== null && frame === null) return <Failed reason={failure} onRetry={reload} />;
  const pixels = WIDTHS.find(({ name }) => name === width)?.pixels ?? null;
  return (
    <div className="html-view">
      <div className="view-bar">
        <fieldset className="switch">
          <legend className="sr">Width</legend>
          {WIDTHS.map(({ name, icon }) => (
            <IconButton
              key={name}
              icon={icon}
              label={name}
              hint="w"
              aria-pressed={name === width}
              onClick={() => pick(name)}
            />
          ))}
        </fieldset>
        <fieldset className="switch">
          <legend className="sr">Colours of the mail</legend>
          <IconButton
            icon="sun"
            label="Mail in the light"
            aria-pressed={!dark}
            onClick={() => {
              machine.keep(DARK, 'no');
              setDark(false);
            }}
          />
          <IconButton
            icon="moon"
            label="Mail in the dark"
            aria-pressed={dark}
            onClick={() => {
              machine.keep(DARK, 'yes');
              setDark(true);
            }}
          />
        </fieldset>
        {frame !== null && (
          <Remote
            frame={frame}
            onAllow={(next) => {
              machine.keep(HOSTS, JSON.stringify(next));
              setAllowed(next);
            }}
            allowed={allowed}
          />
        )}
      </div>
      {frame === null ? (
        <Skeleton rows={5} slow={slow} />
      ) : (
        <div className={`frame-ground ${dark ? 'dark' : 'light'}`}>
          <iframe
            key={frame.url}
            title="The mail"
            src={frame.url}
            sandbox="allow-popups allow-popups-to-escape-sandbox"
            referrerPolicy="no-referrer"
            style={{ width: pixels === null ? '100%' : `${pixels}px` }}
          />
        </div>
      )}
    </div>
  );
}

/** Lists the hosts from which the mail would load content, each with a button that allows it. */
function Remote({
  frame,
  allowed,
  onAllow,
}: {
  readonly frame: MessageFrame;
  readonly allowed: Allowed;
  readonly onAllow: (allowed: Allowed) => void;
}) {
  const blocked = frame.remote.filter((host) => host.kinds.some((kind) => !host.allowed.includes(kind)));
  if (frame.remote.length === 0) return null;
  return (
    <details className="remote">
      <summary>
        {blocked.length === 0
          ? 'Remote content is shown'
          : `Remote content of ${blocked.length} ${blocked.length === 1 ? 'host' : 'hosts'} is blocked`}
      </summary>
      <div className="remote-hosts">
        <p className="faint">
          Who loads it tells the sender that, when and where the mail was read. A host that is allowed stays so.
        </p>
        <ul>
          {frame.remote.map(({ host, kinds, allowed: now }) => (
            <li key={host}>
              <code>{harmlessLine(host, 120)}</code>
              {kinds.map((kind) => {
                const isAllowed = now.includes(kind);
                return (
                  <Button
                    key={kind}
                    aria-pressed={isAllowed}
                    onClick={() => onAllow(toggledHost(allowed, kind, host, !isAllowed))}
                  >
                    {isAllowed ? `Block ${kind}` : `Allow ${kind}`}
                  </Button>
                );
              })}
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}

function toggledHost(allowed: Allowed, kind: string, host: string, isAllowed: boolean): Allowed {
  const others = (allowed[kind] ?? []).filter((one) => one !== host);
  return { ...allowed, [kind]: isAllowed ? [...others, host].slice(-100) : others };
}

function parseHosts(text: string | null): Allowed {
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
