/** The Postgres schema that stamping alone uses. */
export const schema = 'stamping';
