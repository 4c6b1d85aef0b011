import { toError } from './errors.ts';
import { faultClassOf } from './fault-class.ts';

export type ErrorForLog = {
  readonly name: string;
  readonly code?: string;
  readonly message?: string;
  /** Where it was thrown. */
  readonly at?: string;
};

const maxLength = 300;

/**
 * What a log line says of an error that a message caused. Its text is left out unless the class of the error says that it is of the
 * surroundings: parsers and constraints quote what they were given (I10). Dead letters hold the text.
 */
export const errorForLog = (thrown: unknown): ErrorForLog => {
  const error = toError(thrown);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const quotesNothing = ['unavailable', 'contended', 'timeout'].includes(faultClassOf(error));
  const at = /^\s+at (.+)$/m.exec(error.stack ?? '')?.[1];
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    ...(quotesNothing ? { message: error.message.slice(0, maxLength) } : {}),
    ...(at === undefined ? {} : { at: at.slice(0, maxLength) }),
  };
};
