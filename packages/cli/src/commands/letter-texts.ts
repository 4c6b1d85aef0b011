import type { DeadLetter, LetterPlace } from '@indelible/kafka';

/** A letter's name in `list` and for other commands. */
export const nameOfPlace = ({ partition, offset }: LetterPlace): string => `${partition}:${offset}`;

/** The reason of a letter, as JSON; never its value. */
export const jsonOfLetter = (letter: DeadLetter) => {
  const { group, errorName, errorMessage, time, attempts } = letter;
  return { letter: nameOfPlace(letter), group, errorName, errorMessage, time, attempts };
};

/** One letter, one line. */
export const lineOfLetter = (letter: DeadLetter): string => {
  const { group = '?', errorName = '?', errorMessage = '', time = '?', attempts, envelope } = letter;
  const tried = attempts === undefined ? '' : `, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const reason = `${errorName}: ${errorMessage}`.replaceAll(/\s+/g, ' ');
  return `${nameOfPlace(letter)}  ${time}  ${envelope.ce_type ?? '?'}  ${group}  ${reason}${tried}`;
};

/** Bytes before the JSON in Confluent's wire format. */
const prefixLength = 5;

/** The value of a letter: the JSON of a message, or whatever text or bytes it is. */
export function textOfValue(value: Buffer | null): unknown {
  if (value === null) return null;
  const body = value[0] === 0 ? value.subarray(prefixLength) : value;
  try {
    return JSON.parse(body.toString());
  } catch {
    return { base64: value.toString('base64') };
  }
}
