/** Whether a thrown value carries this `code`. Looks at the value alone: jest's modules see errors of Node's as of another Error class. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
