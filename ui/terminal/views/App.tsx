import { Box, Text, useStdin } from 'ink';
import { memo, useEffect } from 'react';
import { keyReader } from '../key-reader.ts';
import type { Screen } from '../screen.ts';
import type { Shell } from '../shell/shell.ts';
import { useInbox } from '../use-inbox.ts';
import { bodyOf } from './body-lines.ts';
import { bottomLines } from './bottom-lines.ts';
import { headerLines } from './header-lines.ts';

interface AppProps {
  readonly shell: Shell;
  readonly screen: Screen;
}

/** The inbox on a screen. */
export function App({ shell, screen }: AppProps) {
  const { inbox, layout, text, press } = useInbox(shell, screen);
  const { stdin, setRawMode } = useStdin();
  useEffect(() => {
    const read = keyReader();
    const onData = (piece: Buffer | string) => {
      for (const pressed of read(piece.toString())) press(pressed);
    };
    // Ink reads, as long as somebody wants raw mode; whoever listens is told what it read.
    setRawMode(true);
    stdin.on('data', onData);
    return () => {
      stdin.off('data', onData);
      setRawMode(false);
    };
  }, [stdin, setRawMode, press]);
  const { style } = screen;
  const { left, right } = bodyOf(inbox, layout, style, shell.now(), text);
  return (
    <Box flexDirection="column" width={layout.columns} height={layout.rows} overflow="hidden">
      <Lines lines={headerLines(inbox, layout, style)} width={layout.columns} />
      <Box height={layout.height} overflow="hidden">
        <Lines lines={left} width={right === null ? layout.columns : layout.listWidth} height={layout.height} />
        {right !== null && (
          <>
            <Lines lines={Array<string>(layout.height).fill(style.dim('│'))} width={1} />
            <Lines lines={right} width={layout.detailWidth} height={layout.height} />
          </>
        )}
      </Box>
      <Lines lines={bottomLines(inbox, layout, style)} width={layout.columns} />
    </Box>
  );
}

interface LinesProps {
  readonly lines: readonly string[];
  readonly width: number;
  readonly height?: number;
}

/** Lines that are laid out already: none is wider than the pane. */
const Lines = memo(
  function Lines({ lines, width, height = lines.length }: LinesProps) {
    return (
      <Box flexDirection="column" flexShrink={0} width={width} height={height}>
        <Text wrap="truncate">{lines.map((line) => line || ' ').join('\n')}</Text>
      </Box>
    );
  },
  (before, after) =>
    before.width === after.width &&
    before.height === after.height &&
    before.lines.length === after.lines.length &&
    before.lines.every((line, at) => line === after.lines[at]),
);
