/** The Postgres schema that is stamping's alone. */
export const schema = 'stamping';
