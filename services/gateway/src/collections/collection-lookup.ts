import type { Database } from '@indelible/postgres';
import { type CollectionKey, type CollectionView, findCollections } from '../projections/collections.ts';

/** Looks a collection up; requests of the same moment share a query. */
export type CollectionLookup = (key: CollectionKey) => Promise<CollectionView | undefined>;

const maxKeys = 500;

type Asked = {
  readonly key: CollectionKey;
  readonly resolve: (view: CollectionView | undefined) => void;
  readonly reject: (error: unknown) => void;
};

export function createCollectionLookup(database: Pick<Database, 'query'>): CollectionLookup {
  let asked: Asked[] = [];
  async function ask(batch: readonly Asked[]): Promise<void> {
    try {
      const views = await findCollections(
        database,
        batch.map(({ key }) => key),
      );
      for (const [i, { resolve }] of batch.entries()) resolve(views[i]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
  function askAll(): void {
    const waiting = asked;
    asked = [];
    for (let i = 0; i < waiting.length; i += maxKeys) void ask(waiting.slice(i, i + maxKeys));
  }
  return (key) =>
    new Promise((resolve, reject) => {
      if (asked.length === 0) setImmediate(askAll);
      asked.push({ key, resolve, reject });
    });
}
