/** This service's Postgres schema. */
export const schema = 'chain';
