import { connect, type Socket } from 'node:net';

/** What came back, as far as it came: `body` is the text after the headers. */
export type RawAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type RawRequest = {
  readonly method?: string;
  readonly path: string;
  /** Header lines as written; Host, Content-Length and `Connection: close` are added. */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  /** A Content-Length other than the body's; null: none at all. */
  readonly length?: number | null;
};

/** The bytes of a request, written as they are: requests that no client library would send. */
export function bytesOf({ method = 'POST', path, headers = [], body, length }: RawRequest): Buffer {
  const bytes = Buffer.from(body ?? '');
  const announced = length === undefined ? (body === undefined ? null : bytes.length) : length;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: contract.test',
    'Connection: close',
    ...headers,
    ...(announced === null ? [] : [`Content-Length: ${announced}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]);
}

/**
 * Sends bytes, in pieces with a pause between them where `pauseMs` is given, and answers what comes until the answer
 * is whole or the server closes. @throws when nothing came
 */
export function exchange(
  port: number,
  bytes: Buffer,
  options: { readonly pieceBytes?: number; readonly pauseMs?: number; readonly timeoutMs?: number } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const timer = setTimeout(() => socket.destroy(new Error('the server hangs')), options.timeoutMs ?? 20_000);
    const pieces = inPieces(bytes, options.pieceBytes ?? bytes.length);
    socket.on('connect', () => write(socket, pieces, options.pauseMs ?? 0));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (isWhole(Buffer.concat(chunks))) socket.destroy();
    });
    let fault: Error | undefined;
    socket.on('error', (error) => {
      fault = error;
    });
    socket.on('close', () => {
      clearTimeout(timer);
      if (chunks.length > 0) resolve(parse(Buffer.concat(chunks)));
      else reject(fault ?? new Error('the server closed without an answer'));
    });
  });
}

/** Sends bytes and resets the connection once `when` is true. */
export async function sendAndReset(port: number, bytes: Buffer, when: () => Promise<void>): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes);
  await when();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.resetAndDestroy();
  await closed;
}

function write(socket: Socket, pieces: Iterator<Buffer>, pauseMs: number): void {
  const next = pieces.next();
  if (next.done === true || socket.destroyed) return;
  socket.write(next.value, () => setTimeout(() => write(socket, pieces, pauseMs), pauseMs));
}

function* inPieces(bytes: Buffer, size: number): Generator<Buffer, void> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** Whether an answer with a Content-Length and a body has come to its end; others end with the connection. */
function isWhole(bytes: Buffer): boolean {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: *(\d+)/im.exec(bytes.subarray(0, end).toString('latin1'))?.[1];
  return length !== undefined && bytes.length === end + 4 + Number(length);
}

function parse(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = bytes.subarray(end + 4);
  const whole = headers['transfer-encoding'] === 'chunked' ? joinChunks(body) : body;
  return { status: Number(first.split(' ')[1]), headers, body: whole.toString('utf8') };
}

/** @throws when the last chunk is missing: a part must not be taken for the whole */
function joinChunks(bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) throw new Error('the answer was cut off');
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16);
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}
