import { expect, test } from 'vitest';
import { LOCAL_OPERATIONS } from '../../../src/client/connection/operations.ts';
import { FIRST_OPERATIONS } from '../../../ui/web/app/api.ts';

test('the operations of the first view are those of the local API', () => {
  expect(LOCAL_OPERATIONS).toMatchObject(FIRST_OPERATIONS);
  expect(Object.keys(FIRST_OPERATIONS).length).toBeGreaterThan(10);
});
