import { OPTIONS } from '../config/options.ts';
import type { OptionTable } from './command.ts';

/** The options that name the server by its address, as those of `dev` do. */
export const HEALTH_OPTIONS = {
  host: { ...OPTIONS.host, default: null, help: 'Its address, as told to dev' },
  port: { flag: 'port', type: 'port', default: null, help: 'Its HTTP port' },
} as const satisfies OptionTable;
