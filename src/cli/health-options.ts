import { OPTIONS } from '../config/options.ts';
import type { OptionTable } from './command.ts';

/** Where the server is: at an URL, or as the options of `dev` tell. */
export const HEALTH_OPTIONS = {
  url: { flag: 'url', type: 'string', default: null, help: 'Where the server is, also MAILCAP_URL' },
  dataDir: OPTIONS.dataDir,
  host: OPTIONS.host,
  port: { flag: 'port', type: 'port', default: OPTIONS.port.default, help: 'Its HTTP port' },
} as const satisfies OptionTable;
