import { OPTIONS } from '../config/options.ts';
import type { OptionTable } from './command.ts';

/** Where the server is, if not where every command looks: at the address that the options of `dev` tell. */
export const HEALTH_OPTIONS = {
  host: { ...OPTIONS.host, default: null, help: 'Its address, as told to dev' },
  port: { flag: 'port', type: 'port', default: null, help: 'Its HTTP port' },
} as const satisfies OptionTable;
