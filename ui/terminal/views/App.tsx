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

/** The root component of the terminal inbox. */
export function App({ shell, screen }: AppProps) {
  const { lines, layout, press } = useInbox(shell, screen);
  const { stdin, setRawMode } = useStdin();
  useEffect(() => {
    const read = keyReader();
    const onData = (piece: Buffer | string) => {
      for (const pressed of read(piece.toString())) press(pressed);
    };
    // Raw mode makes Ink read standard input, and the listener receives the same data.
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
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its row on the screen
        <Line key={row} line={line} width={layout.columns} />
      ))}
    </Box>
  );
}

/** One finished line. Each line is its own Text, because Ink truncates a whole Text if one of its lines is too wide. */
const Line = memo(function Line({ line, width }: { readonly line: string; readonly width: number }) {
  return (
    <Box width={width} height={1} flexShrink={0}>
      <Text wrap="truncate">{line || ' '}</Text>
    </Box>
  );
});
