import { Tokenizer, TokenType } from '@streamparser/json';
import { HttpError, invalid } from '../../errors/http-error.ts';

export type Scalar = string | number | boolean | null;

/** What a walk meets, in document order. An error thrown here ends the walk. */
export type JsonVisitor = {
  open(container: 'object' | 'array'): void;
  close(): void;
  key(name: string): void;
  scalar(value: Scalar): void;
};

/** Open containers; what this API takes nests far less. */
const maxDepth = 64;
/** Of one value, or of the white space between two. */
const maxTokenBytes = 256 * 1024;

/** What may come next. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

/**
 * Walks a JSON text that arrives in pieces, cut anywhere. As strict as the reader of whole bodies: no key twice in an
 * object, no lone surrogates. What it holds is bounded: one value, and the keys of the open objects (a visitor that
 * takes any keys bounds those). The bytes must be UTF-8.
 * @throws HttpError 400
 */
export function createJsonWalk(visitor: JsonVisitor): { write(chunk: Buffer): void; end(): void } {
  /** The keys seen of each open object; null for an open array. */
  const open: (Set<string> | null)[] = [];
  let expected: Expected = 'value';
  let tokens = 0;
  let bytesWithoutToken = 0;

  const tokenizer = new Tokenizer();
  tokenizer.onToken = ({ token, value }) => {
    tokens++;
    take(token, value);
  };

  function take(token: TokenType, value: unknown): void {
    switch (token) {
      case TokenType.LEFT_BRACE:
      case TokenType.LEFT_BRACKET: {
        require(expected === 'value' || expected === 'value or end');
        const isObject = token === TokenType.LEFT_BRACE;
        if (open.length === maxDepth) throw new HttpError(400, `the body nests deeper than ${maxDepth} levels`);
        open.push(isObject ? new Set() : null);
        expected = isObject ? 'key or end' : 'value or end';
        visitor.open(isObject ? 'object' : 'array');
        return;
      }
      case TokenType.RIGHT_BRACE:
        require(open.at(-1) instanceof Set && (expected === 'key or end' || expected === 'comma or end'));
        close();
        return;
      case TokenType.RIGHT_BRACKET:
        require(open.at(-1) === null && (expected === 'value or end' || expected === 'comma or end'));
        close();
        return;
      case TokenType.COLON:
        require(expected === 'colon');
        expected = 'value';
        return;
      case TokenType.COMMA:
        require(expected === 'comma or end');
        expected = open.at(-1) === null ? 'value' : 'key';
        return;
      default:
        if (typeof value === 'string' && !value.isWellFormed())
          throw invalid([...(open.findLast((keys) => keys !== null) ?? [])].at(-1) ?? 'body', 'holds a lone surrogate');
        if (expected === 'key' || expected === 'key or end') {
          require(typeof value === 'string');
          takeKey(value as string);
          return;
        }
        require(expected === 'value' || expected === 'value or end');
        afterValue();
        visitor.scalar(value as Scalar);
    }
  }

  function takeKey(name: string): void {
    const keys = open.at(-1) as Set<string>;
    if (keys.has(name)) throw invalid(name, 'given twice');
    keys.add(name);
    expected = 'colon';
    visitor.key(name);
  }

  function close(): void {
    open.pop();
    afterValue();
    visitor.close();
  }

  function afterValue(): void {
    expected = open.length === 0 ? 'nothing' : 'comma or end';
  }

  /** The tokenizer's own errors quote the text; ours do not. */
  function tokenize(step: () => void): void {
    try {
      step();
    } catch (error) {
      throw error instanceof HttpError ? error : notJson();
    }
  }

  return {
    write(chunk) {
      const before = tokens;
      tokenize(() => tokenizer.write(chunk));
      bytesWithoutToken = tokens === before ? bytesWithoutToken + chunk.length : 0;
      if (bytesWithoutToken > maxTokenBytes)
        throw new HttpError(400, `the body holds a value of more than ${maxTokenBytes} bytes`);
    },
    end() {
      tokenize(() => tokenizer.end());
      require(expected === 'nothing');
    },
  };
}

const notJson = (): HttpError => new HttpError(400, 'the body is not valid JSON');

function require(isJson: boolean): void {
  if (!isJson) throw notJson();
}
