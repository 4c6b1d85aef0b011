/**
 * Whether a thrown value carries this `code`. Not by class: jest's modules see Node's errors as another Error class.
 */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
