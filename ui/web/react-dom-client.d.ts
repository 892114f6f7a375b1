// The bundle has Preact in place of React; this is all of `react-dom` that is used.
declare module 'react-dom/client' {
  import type { ReactNode } from 'react';

  export function createRoot(element: Element): { render(node: ReactNode): void };
}
