import { describe } from 'vitest';
import { memoryStore } from '../../src/store/memory.ts';
import { storeSuite } from './suite.ts';

describe('memory', () => {
  storeSuite(async () => memoryStore());
});
