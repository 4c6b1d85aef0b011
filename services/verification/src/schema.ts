/** The Postgres schema that only verification uses. */
export const schema = 'verification';
