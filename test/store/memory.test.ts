import { describe } from 'vitest';
import { memoryStore } from '../../src/store/memory.ts';
import { storeSuite } from './suite.ts';
import { textsHere } from './texts/texts.ts';
import { textsSuite } from './texts-suite.ts';

describe('memory', () => {
  storeSuite(async () => memoryStore());
});

describe('memory, prepared texts', () => {
  textsSuite(async () => memoryStore(undefined, textsHere));
});
