import { AccountRequestError } from '../account-request-error.ts';

/** `read`: every GET and both verify operations; `stamp`: the rest. Neither implies the other (docs/interface.md, Accounts and access). */
export const apiScopes = ['read', 'stamp'] as const;
export type Scope = (typeof apiScopes)[number];

const isScope = (name: string): name is Scope => apiScopes.some((scope) => scope === name);

/**
 * The scopes of a new key, without repeats: both when none are named.
 * @throws AccountRequestError for an unknown name, or an empty list
 */
export function parseScopes(names: readonly string[] | undefined): readonly Scope[] {
  if (names === undefined) return apiScopes;
  const unknown = names.find((name) => !isScope(name));
  if (unknown !== undefined)
    throw new AccountRequestError(
      'invalid',
      `scopes: ${JSON.stringify(unknown)} is not one of ${apiScopes.join(', ')}`,
    );
  if (names.length === 0)
    throw new AccountRequestError('invalid', `scopes: give one or more of ${apiScopes.join(', ')}`);
  return apiScopes.filter((scope) => names.includes(scope));
}
