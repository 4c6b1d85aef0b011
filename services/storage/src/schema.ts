/** The Postgres schema that only storage uses. */
export const schema = 'storage';
