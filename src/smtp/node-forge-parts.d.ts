// The parts of node-forge that are loaded by themselves. Each adds to the one object that forge.js exports.

declare module 'node-forge/lib/forge.js' {
  import type forge from 'node-forge';

  const parts: typeof forge;
  export = parts;
}

declare module 'node-forge/lib/x509.js';
