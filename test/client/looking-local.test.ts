import { lookingSuite } from './looking-suite.ts';
import { testsOf } from './modes.ts';

lookingSuite(testsOf('local'));
