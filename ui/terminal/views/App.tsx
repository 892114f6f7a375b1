import { Box, Text, useStdin } from 'ink';
import { memo, useEffect } from 'react';
import { keyReader } from '../key-reader.ts';
import type { Screen } from '../screen.ts';
import type { Shell } from '../shell/shell.ts';
import { useInbox } from '../use-inbox.ts';

interface AppProps {
  readonly shell: Shell;
  readonly screen: Screen;
}

/** The inbox on a screen. */
export function App({ shell, screen }: AppProps) {
  const { lines, layout, press } = useInbox(shell, screen);
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
  return (
    <Box flexDirection="column" flexShrink={0} width={layout.columns} height={layout.rows} overflow="hidden">
      {lines.map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Line key={row} line={line} width={layout.columns} />
      ))}
    </Box>
  );
}

/** A line that is laid out already. Each is a text of its own: Ink cuts a text whole where one line of it is too wide. */
const Line = memo(function Line({ line, width }: { readonly line: string; readonly width: number }) {
  return (
    <Box width={width} height={1} flexShrink={0}>
      <Text wrap="truncate">{line || ' '}</Text>
    </Box>
  );
});
