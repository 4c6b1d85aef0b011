import { integer, madeOf, mapped, matching } from '@indelible/service-runtime';

const tebibyte = 2 ** 40;

/** Of this process, or of one request. */
export const boundSettings = {
  maxFileBytes: integer('MAX_FILE_BYTES', {
    meaning: 'The largest file of a stamp or upload; over the limit: 413',
    unit: 'bytes',
    default: 5 * 2 ** 30,
    min: 1,
    max: tebibyte,
  }),
  maxDataBytes: integer('MAX_DATA_BYTES', {
    meaning: 'The longest inline data of a stamp; over the limit: 413',
    unit: 'bytes',
    default: 16 * 2 ** 20,
    min: 1,
    max: 2 ** 28,
  }),
  maxVerifyObjects: integer('MAX_VERIFY_OBJECTS', {
    meaning: 'Objects of one request to verify a collection',
    unit: 'objects',
    default: 1_000_000,
    min: 1,
    max: 1_000_000,
  }),
  maxVerifyBytes: integer('MAX_VERIFY_BYTES', {
    meaning: 'Bytes of one request to verify a collection',
    unit: 'bytes',
    default: 256 * 2 ** 20,
    min: 1,
    max: 2 ** 30,
  }),
  maxBatchLines: integer('MAX_BATCH_LINES', {
    meaning: 'Lines of one batch of stamps; an answer ends where there are more',
    unit: 'lines',
    default: 100_000,
    min: 1,
    max: 1_000_000,
  }),
  maxBatchWindow: integer('MAX_BATCH_WINDOW', {
    meaning: 'Lines of batches that are under way in this process; a batch alone gets half of them',
    unit: 'lines',
    default: 40_000,
    min: 1,
    max: 1_000_000,
  }),
  maxWaiting: integer('MAX_WAITING', {
    meaning: 'Requests that wait for an outcome at the same time; over the limit: 503',
    unit: 'requests',
    default: 20_000,
    min: 1,
    max: 1_000_000,
  }),
  maxCommandLag: integer('MAX_COMMAND_LAG', {
    meaning:
      'Records of a command topic that may wait for their consumer; over the limit: 503 for accounts that have an even share of them, and over twice the limit for all',
    unit: 'records',
    default: 100_000,
    min: 1,
    max: 1_000_000_000,
  }),
  maxRequests: integer('MAX_REQUESTS', {
    meaning: 'Requests under way in this process; over the limit: 503',
    unit: 'requests',
    default: 25_000,
    min: 1,
    max: 1_000_000,
  }),
  maxConnections: integer('MAX_CONNECTIONS', {
    meaning: 'Open connections of this process',
    unit: 'connections',
    default: 50_000,
    min: 1,
    max: 1_000_000,
  }),
  maxHeldBytes: integer('MAX_HELD_BYTES', {
    meaning: 'Bodies and answers that this process holds as a whole; accounts share them',
    unit: 'bytes',
    default: 2 ** 29,
    min: 2 ** 20,
    max: 2 ** 40,
  }),
  maxEventStreams: integer('MAX_EVENT_STREAMS', {
    meaning: 'Open streams of events in this process; accounts share them',
    unit: 'streams',
    default: 4_000,
    min: 1,
    max: 20_000,
  }),
  eventBufferBytes: integer('EVENT_BUFFER_BYTES', {
    meaning: 'The newest events of accounts that have streams in this process; accounts share it',
    unit: 'bytes',
    default: 64 * 2 ** 20,
    min: 2 ** 20,
    max: 2 ** 32,
  }),
};

export const timeSettings = {
  waitLimitMs: integer('WAIT_LIMIT_MS', {
    meaning: 'How long a request waits for the chain before it is answered 503 with its status resource',
    unit: 'ms',
    default: 25_000,
    min: 100,
    max: 600_000,
  }),
  drainMs: integer('DRAIN_MS', {
    meaning: 'How long waiting requests may still finish when the process is stopped',
    unit: 'ms',
    default: 20_000,
    min: 0,
    max: 28_000,
  }),
  stalledMs: integer('STALLED_MS', {
    meaning: 'A client that sends nothing for so long, with headers or a body under way, is answered 408',
    unit: 'ms',
    default: 30_000,
    min: 100,
    max: 600_000,
  }),
  minRate: integer('MIN_BYTES_PER_SECOND', {
    meaning: 'What a client sends or takes at least, over twice STALLED_MS in which it is its turn',
    unit: 'bytes/s',
    default: 1_024,
    min: 0,
    max: 2 ** 20,
  }),
  eventHeartbeatMs: integer('EVENT_HEARTBEAT_MS', {
    meaning: 'How often a stream without events shows that it lives',
    unit: 'ms',
    default: 15_000,
    min: 100,
    max: 600_000,
  }),
};

/** For keys whose account has no rate of its own; undefined: no limit. */
const rateLimit = madeOf(
  {
    perSecond: integer('RATE_LIMIT_PER_SECOND', {
      meaning: 'Requests of one key, where its account has no allowance of its own; 0 is no limit',
      unit: '1/s',
      default: 1_000,
      min: 0,
      max: 1_000_000,
    }),
    burst: integer('RATE_LIMIT_BURST', {
      meaning: 'Requests of one key that may come at once',
      unit: 'requests',
      default: 5_000,
      min: 1,
      max: 10_000_000,
    }),
  },
  (limit) => (limit.perSecond === 0 ? undefined : limit),
);

const noneIfZero = (perDay: number): number | undefined => (perDay === 0 ? undefined : perDay);

/** The defaults allow one key its full rate, all day. */
export const accountSettings = {
  rateLimit,
  accountStampsPerDay: mapped(
    integer('ACCOUNT_STAMPS_PER_DAY', {
      meaning: 'New stamps and collections of an account in a day (UTC); 0 is no quota',
      unit: 'stamps',
      default: 100_000_000,
      min: 0,
      max: 1_000_000_000,
    }),
    noneIfZero,
  ),
  accountBytesPerDay: mapped(
    integer('ACCOUNT_BYTES_PER_DAY', {
      meaning: 'Content that an account may send in a day (UTC); 0 is no quota',
      unit: 'bytes',
      default: 5 * tebibyte,
      min: 0,
      max: 1_024 * tebibyte,
    }),
    noneIfZero,
  ),
};

const origin = String.raw`(?:\*|https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?)`;

/** Origins whose scripts may use the API; none, and CORS is off. `*` is every origin. */
export const corsOrigins = mapped(
  matching('CORS_ORIGINS', {
    meaning: 'Origins whose scripts may use the API; * is every origin, and none turns CORS off',
    shape: new RegExp(String.raw`^\s*${origin}(?:\s*,\s*${origin})*\s*$`, 'i'),
    values: 'origins (https://app.example.com) or *, comma-separated',
    default: '',
  }),
  (list): readonly string[] =>
    list
      .split(',')
      .map((one) => one.trim().toLowerCase())
      .filter((one) => one !== ''),
);
