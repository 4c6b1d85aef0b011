type Raw = { raw(...statement: unknown[]): PromiseLike<unknown> };

export class DiedHere extends Error {}

/** A migration whose process is killed after so many statements. */
export const dyingAfter = <Knex extends object, Migration extends { up(knex: Knex): Promise<void> }>(
  migration: Migration,
  statements: number,
): Migration => {
  let left = statements;
  const dying = (knex: Knex): Knex =>
    new Proxy(knex, {
      get(target, name, receiver) {
        if (name !== 'raw') return Reflect.get(target, name, receiver);
        return async (...statement: unknown[]) => {
          const result = await (target as Knex & Raw).raw(...statement);
          left -= 1;
          if (left === 0) throw new DiedHere(`died after ${statements} statements`);
          return result;
        };
      },
    });
  return { ...migration, up: (knex: Knex) => migration.up(dying(knex)) };
};
