// The package has no types of its own.
declare module 's3rver' {
  import type { Server } from 'node:http';

  class S3rver {
    constructor(options: object);
    readonly httpServer: Server;
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
  export = S3rver;
}
