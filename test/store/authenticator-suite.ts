import { expect, test } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { anAuthenticator, aPlace } from './rows.ts';

/** Specifies how a Store handles authenticators. */
export function authenticatorSuite(current: () => Store): void {
  test('authenticators are listed by workspace, oldest first, got by id and removed', async () => {
    const store = current();
    const { workspace } = await aPlace(store);
    const { workspace: other } = await aPlace(store);
    const [first, second, foreign] = [
      anAuthenticator(workspace.id),
      anAuthenticator(workspace.id),
      anAuthenticator(other.id),
    ];
    await store.transaction(async (tx) => {
      for (const authenticator of [second, foreign, first]) await tx.authenticators.insert(authenticator);
      expect(await tx.authenticators.get(first.id)).toEqual(first);
    });
    expect(await store.read.authenticators.list(workspace.id)).toEqual([first, second]);
    expect(await store.read.authenticators.get(foreign.id)).toEqual(foreign);
    await store.transaction((tx) => tx.authenticators.remove(first.id));
    await store.transaction((tx) => tx.authenticators.remove(first.id));
    expect(await store.read.authenticators.get(first.id)).toBeNull();
    expect(await store.read.authenticators.list(workspace.id)).toEqual([second]);
  });

  test('removing a workspace takes its authenticators with it, and none of another', async () => {
    const store = current();
    const { workspace } = await aPlace(store);
    const { workspace: other } = await aPlace(store);
    const [own, foreign] = [anAuthenticator(workspace.id), anAuthenticator(other.id)];
    await store.transaction(async (tx) => {
      await tx.authenticators.insert(own);
      await tx.authenticators.insert(foreign);
    });
    await store.transaction((tx) => tx.workspaces.remove(workspace.id));
    expect(await store.read.authenticators.get(own.id)).toBeNull();
    expect(await store.read.authenticators.list(workspace.id)).toEqual([]);
    expect(await store.read.authenticators.list(other.id)).toEqual([foreign]);
  });

  test('a transaction that throws stores no authenticator', async () => {
    const store = current();
    const { workspace } = await aPlace(store);
    const authenticator = anAuthenticator(workspace.id);
    await expect(
      store.transaction(async (tx) => {
        await tx.authenticators.insert(authenticator);
        throw new Error('mishap');
      }),
    ).rejects.toThrow('mishap');
    expect(await store.read.authenticators.list(workspace.id)).toEqual([]);
  });
}
