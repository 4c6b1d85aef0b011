/** The Postgres schema that is the gateway's alone. */
export const schema = 'gateway';
