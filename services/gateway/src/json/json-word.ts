/**
 * The words of JSON (numbers, true, false and null) as a state machine over bytes, so that no part of a word must be
 * held. A state is an index into `states`; in state 0 no byte of a word may follow.
 */
const states = [
  ...['end', 'start', '-', '0', 'digits', '.', '.digits', 'e', 'e+', 'e digits'],
  ...['t', 'tr', 'tru', 'true', 'f', 'fa', 'fal', 'fals', 'false', 'n', 'nu', 'nul', 'null'],
] as const;
type State = (typeof states)[number];
const indexOf = (state: State): number => states.indexOf(state);
const nextStates = new Uint8Array(states.length * 256);

function allow(from: State, characters: string, to: State): void {
  for (const character of characters) nextStates[indexOf(from) * 256 + character.charCodeAt(0)] = indexOf(to);
}
for (const from of ['start', '-'] as const) {
  allow(from, '0', '0');
  allow(from, '123456789', 'digits');
}
allow('start', '-', '-');
const digits = '0123456789';
allow('digits', digits, 'digits');
for (const from of ['0', 'digits'] as const) allow(from, '.', '.');
for (const from of ['.', '.digits'] as const) allow(from, digits, '.digits');
for (const from of ['0', 'digits', '.digits'] as const) allow(from, 'eE', 'e');
allow('e', '+-', 'e+');
for (const from of ['e', 'e+', 'e digits'] as const) allow(from, digits, 'e digits');
for (const state of states)
  if (/^[tfn]/.test(state)) allow(state.length === 1 ? 'start' : (state.slice(0, -1) as State), state.slice(-1), state);

const whole = new Set<State>(['0', 'digits', '.digits', 'e digits', 'true', 'false', 'null']);
const isWhole = states.map((state) => whole.has(state));

export const wordStart = indexOf('start');
/** The next state; 0 when the byte does not continue the word. */
export const nextWordState = (state: number, byte: number): number => nextStates[state * 256 + byte] as number;
/** Whether a word may end in this state. */
export const isWholeWord = (state: number): boolean => isWhole[state] as boolean;
