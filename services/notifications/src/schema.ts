/** The Postgres schema that only notifications uses. */
export const schema = 'notifications';
