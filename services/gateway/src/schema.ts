/** The Postgres schema that only the gateway uses. */
export const schema = 'gateway';
