/** The Postgres schema this service owns. */
export const schema = 'chain';
