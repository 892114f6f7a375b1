// The bundle uses Preact instead of React. These are all the types of `react-dom` that are needed.
declare module 'react-dom/client' {
  import type { ReactNode } from 'react';

  export function createRoot(element: Element): { render(node: ReactNode): void };
}
