import { useEffect, useRef, useState } from 'react';
import { ColourChoice, LookSwitches, SimulationNote } from '../mail/MailFrame.tsx';
import { type Colours, useMailLook } from '../mail/mail-look.ts';
import { drawMail } from '../mail/picture.ts';
import { Button } from '../parts/controls.tsx';
import { NotLoaded } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';
import { type PixelDifference, pixelDifference } from './pixel-diff.ts';

const SHOWN = { differences: 'Differences', left: 'Left', right: 'Right' } as const;
type Shown = keyof typeof SHOWN;

/** Compares pictures of two mails, each in its own colours, so that one mail can be compared in two of them. */
export function Pixels({ leftId, rightId }: { readonly leftId: string; readonly rightId: string }) {
  const shell = useShell();
  const look = useMailLook();
  const [colours, setColours] = useState<readonly [left: Colours, right: Colours]>(['light', 'light']);
  const [shown, setShown] = useState<Shown>('differences');
  const width = look.pixels ?? 800;
  const { value, failure, slow, reload } = useLoaded(
    `pixels ${leftId} ${rightId} ${width} ${colours.join()}`,
    async () => {
      const drawn = await Promise.all(
        [leftId, rightId].map(async (id, at) => {
          const { url } = await shell.api.frame(id, null, {});
          return drawMail(url, { width, colours: colours[at] ?? 'light' });
        }),
      );
      const [left, right] = drawn.map(({ canvas }) => pixelsOf(canvas));
      if (left === undefined || right === undefined) throw new Error('the mails could not be drawn.');
      return { left, right, difference: pixelDifference(left, right), missing: drawn.map(({ missing }) => missing) };
    },
  );
  return (
    <>
      <div className="view-bar">
        <LookSwitches look={look} hasColours={false} />
        <ColourChoice label="Left in" value={colours[0]} onPick={(next) => setColours([next, colours[1]])} />
        <ColourChoice label="Right in" value={colours[1]} onPick={(next) => setColours([colours[0], next])} />
        <fieldset className="switch words">
          <legend className="sr">Picture</legend>
          {(['differences', 'left', 'right'] as const).map((name) => (
            <Button key={name} aria-pressed={shown === name} onClick={() => setShown(name)}>
              {SHOWN[name]}
            </Button>
          ))}
        </fieldset>
      </div>
      <SimulationNote colours={colours.find((one) => one !== 'light' && one !== 'dark') ?? 'light'} />
      {value === null ? (
        <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={5} />
      ) : (
        <>
          <p role="status">{saidDifference(value.difference)}</p>
          {saidMissing(value.missing).map((said) => (
            <p key={said} className="faint">
              {said}
            </p>
          ))}
          <Picture
            pixels={shown === 'differences' ? value.difference : value[shown]}
            label={shown === 'differences' ? saidDifference(value.difference) : `The ${shown} mail`}
          />
        </>
      )}
    </>
  );
}

function Picture({
  pixels,
  label,
}: {
  readonly pixels: Pick<ImageData, 'width' | 'height' | 'data'>;
  readonly label: string;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const { width, height, data } = pixels;
    canvas.current?.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(data), width, height), 0, 0);
  }, [pixels]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section className="pixels" tabIndex={0} aria-label="Picture of the mails">
      <canvas ref={canvas} width={pixels.width} height={pixels.height} role="img" aria-label={label} />
    </section>
  );
}

function pixelsOf(canvas: HTMLCanvasElement): ImageData {
  const { width, height } = canvas;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser draws no pictures.');
  return context.getImageData(0, 0, width, height);
}

/** Says what the pictures leave out: once, if both leave out the same. */
function saidMissing([left = null, right = null]: readonly (string | null)[]): readonly string[] {
  if (left !== null && left === right) return [`Both pictures are ${left}.`];
  return [
    ...(left === null ? [] : [`The picture on the left is ${left}.`]),
    ...(right === null ? [] : [`The picture on the right is ${right}.`]),
  ];
}

function saidDifference({ differing, width, height, rows }: PixelDifference): string {
  if (rows === null) return 'No pixel differs.';
  const share = (100 * differing) / (width * height);
  const said = share < 0.1 ? 'Under 0.1' : share.toFixed(1);
  return `${said} % of the pixels differ, from ${rows[0].toLocaleString('en-US')} to ${rows[1].toLocaleString('en-US')} pixels below the top.`;
}
