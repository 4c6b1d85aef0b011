import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { getAddress } from 'ethers';
import sha3 from 'js-sha3';
import type { Answer, Api } from '../support/api.ts';
import type { ContractStack } from '../support/contract-stack.ts';
import { field, file, type WrittenPart } from '../support/multipart.ts';

const zeroCid = `0x${'0'.repeat(64)}`;
const cidOf = (content: string | Buffer): string => `0x${sha3.sha3_256(content)}`;

/** Stamps of every kind, requested at once to wait for the chain only once. */
const stamps = {
  file: [file('Photo.of.me.JPG', 'a photo')],
  fileInSet: [file('a.tar.gz', 'an archive'), field('collection_name', ' Cafe\u0301 ')],
  zeroBytes: [file('empty.bin', '')],
  hidden: [file('.env', 'SECRET=1')],
  noExtension: [file('README', 'read me')],
  endsInDot: [file('ends.', 'a dot')],
  longExtension: [file(`a.${'e'.repeat(33)}`, 'no extension')],
  longName: [file(`${'ü'.repeat(125)}.text`, 'a long name')],
  bidi: [file('invoice\u202egpj.exe', 'bidi')],
  composed: [file('caf\u00e9.txt', 'NFC')],
  decomposed: [file('cafe\u0301.txt', 'NFD')],
  spaces: [file(' a b \u{1f600}.txt', 'spaces')],
  otherCharset: [
    [
      'Content-Disposition: form-data; name="file"; filename="utf16.txt"\r\nContent-Type: text/plain; charset=utf-16',
      Buffer.from([0xff, 0xfe, 0x41, 0x00]),
    ],
  ],
  escapes: [file('50%2F.txt', 'escapes')],
  object: [field('data', ' {"a":1}\n')],
  array: [field('data', '[1, 2]')],
  text: [field('data', 'text')],
  number: [field('data', '17')],
  brokenJson: [field('data', '{"a":1')],
  named: [field('data', '{"b":2}'), field('file_name', 'mine.csv')],
  namedBare: [field('data', 'named bare'), field('file_name', 'LICENSE')],
  lineEnds: [field('data', 'a\r\nb\n')],
  cidAndFile: [file('both.txt', 'both'), field('data_cid', cidOf('both').toUpperCase().replace('0X', '0x'))],
  allThree: [field('data', 'three'), file('three.txt', 'three'), field('data_cid', cidOf('three'))],
  ignoredName: [file('kept.txt', 'kept'), field('file_name', '../ignored')],
  cidOnly: [field('data_cid', cidOf('cid only').toUpperCase().replace('0X', '0x'))],
  cidOnlyInSet: [field('data_cid', cidOf('cid in set')), field('collection_name', 'CIDs')],
  storeFalse: [field('data', 'not stored 1'), field('store_stamped_file', 'False')],
  storeZero: [file('not.txt', 'not stored 2'), field('store_stamped_file', '0')],
  storeTrue: [field('data', 'stored 1'), field('store_stamped_file', 'True')],
  storeOne: [field('data', 'stored 2'), field('store_stamped_file', '1')],
  storeUpper: [field('data', 'stored 3'), field('store_stamped_file', 'TRUE')],
} satisfies Record<string, readonly WrittenPart[]>;
type Kind = keyof typeof stamps;

/** Receipts and the names and paths of stored files, for stamps of every kind. */
export function receipts(stack: () => ContractStack, ada: () => Api): void {
  const answers = new Map<Kind, Answer>();
  const answerOf = (kind: Kind): Answer => answers.get(kind) as Answer;
  const receiptOf = (kind: Kind) => answerOf(kind).body.commitment_receipt;
  const nameOf = (kind: Kind): string | undefined => answerOf(kind).body.file_object?.file_name;
  /** The suffix of stored names, of the receipt's time. */
  const stampOf = (kind: Kind): string =>
    `_${receiptOf(kind)?.timestamp.slice(0, 10)}_${receiptOf(kind)?.timestamp.slice(11, 19).replaceAll(':', '-')}+0000`;

  describe('receipts', () => {
    beforeAll(async () => {
      await Promise.all(
        Object.entries(stamps).map(async ([kind, parts]) => {
          answers.set(kind as Kind, await ada().stampParts(parts));
        }),
      );
    });

    it.each(Object.keys(stamps) as Kind[])('a stamp (%s) is a 201 whose receipt has every key', (kind) => {
      expect(answerOf(kind)).toMatchObject({ status: 201 });
      expect(receiptOf(kind)).toEqual({
        transaction_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        user_address: stack().connection.userAddress,
        set_cid: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        object_cid: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
        chain_id: stack().connection.chainId,
      });
    });

    it('addresses are checksummed as EIP-55 has it', () => {
      const address = receiptOf('file')?.user_address as string;
      expect(address).toBe(getAddress(address.toLowerCase()));
    });

    it('the timestamp is the time of the block that holds the transaction', async () => {
      const { blockNumber } = await stack().anvil.request<{ blockNumber: string }>('eth_getTransactionReceipt', [
        receiptOf('file')?.transaction_hash,
      ]);
      const block = await stack().anvil.request<{ timestamp: string }>('eth_getBlockByNumber', [blockNumber, false]);
      const time = new Date(Number(block.timestamp) * 1_000).toISOString().replace('.000Z', '+00:00');
      expect(receiptOf('file')?.timestamp).toBe(time);
    });

    it('the object CID is the SHA3-256 of the exact bytes sent, in lower case', () => {
      expect(receiptOf('file')?.object_cid).toBe(cidOf('a photo'));
      expect(receiptOf('zeroBytes')?.object_cid).toBe(cidOf(''));
      expect(receiptOf('object')?.object_cid).toBe(cidOf(' {"a":1}\n'));
      expect(receiptOf('lineEnds')?.object_cid).toBe(cidOf('a\r\nb\n'));
      expect(receiptOf('cidOnly')?.object_cid).toBe(cidOf('cid only'));
      expect(receiptOf('cidAndFile')?.object_cid).toBe(cidOf('both'));
      expect(receiptOf('allThree')?.object_cid).toBe(cidOf('three'));
    });

    it('a charset on a file means nothing: its bytes are stamped', () => {
      expect(receiptOf('otherCharset')?.object_cid).toBe(cidOf(Buffer.from([0xff, 0xfe, 0x41, 0x00])));
    });

    it('a stamp without a collection has the zero set CID; one in a collection the CID of its name in NFC', () => {
      expect(receiptOf('file')?.set_cid).toBe(zeroCid);
      expect(receiptOf('fileInSet')?.set_cid).toBe(cidOf('Caf\u00e9'));
      expect(receiptOf('cidOnlyInSet')?.set_cid).toBe(cidOf('CIDs'));
    });

    it('a stamp of a CID alone has no file_object', () => {
      for (const kind of ['cidOnly', 'cidOnlyInSet'] as const)
        expect(Object.keys(answerOf(kind).body)).toEqual(['commitment_receipt']);
    });

    it('store_stamped_file takes True, False, 1 and 0: a file is stored or no key file_object stands there', () => {
      for (const kind of ['storeFalse', 'storeZero'] as const)
        expect(Object.keys(answerOf(kind).body)).toEqual(['commitment_receipt']);
      for (const kind of ['storeTrue', 'storeOne', 'storeUpper', 'text'] as const)
        expect(nameOf(kind)).toEqual(expect.any(String));
    });

    it('verify finds every one of them at once, with the same receipt (I9)', async () => {
      const receipts = [...answers.values()].map(({ body }) => body.commitment_receipt);
      const { status, body } = await ada().postJson('/stamps/verify', {
        cids: receipts.map((receipt) => receipt?.object_cid),
        filter_by_user: true,
      });
      expect(status).toBe(200);
      expect(body.display_timezone).toBe('UTC');
      expect(body.stamp_list).toEqual(receipts);
    });

    it('verify answers in the order asked, folds duplicates, and has no entry for an unknown CID', async () => {
      const [first, second] = [receiptOf('file'), receiptOf('text')];
      const cids = [
        cidOf('never stamped'),
        second?.object_cid,
        first?.object_cid,
        second?.object_cid?.toUpperCase().replace('0X', '0x'),
      ];
      expect((await ada().postJson('/stamps/verify', { cids })).body.stamp_list).toEqual([second, first]);
      expect((await ada().postJson('/stamps/verify', { cids: [cidOf('never')] })).body.stamp_list).toEqual([]);
    });

    it('verify with a limit goes on where it ended, and has next_cursor only then', async () => {
      const receipts = [receiptOf('file'), receiptOf('text')];
      const query = { cids: receipts.map((receipt) => receipt?.object_cid), filter_by_user: true };
      expect((await ada().postJson('/stamps/verify', query)).body).not.toHaveProperty('next_cursor');
      const first = (await ada().postJson('/stamps/verify', { ...query, limit: 1 })).body;
      const cursor: unknown = (first as { next_cursor?: unknown }).next_cursor;
      const second = (await ada().postJson('/stamps/verify', { ...query, limit: 1, cursor })).body;
      expect([first.stamp_list, second]).toMatchObject([
        [receipts[0]],
        { stamp_list: [receipts[1]], next_cursor: null },
      ]);
      expect((await ada().postJson('/stamps/verify', { ...query, cursor: 'x' })).status).toBe(400);
    });
  });

  describe('names of stored files', () => {
    it.each<[Kind, string, string]>([
      ['file', 'Photo.of.me', '.JPG'],
      ['fileInSet', 'a.tar', '.gz'],
      ['zeroBytes', 'empty', '.bin'],
      ['hidden', '.env', ''],
      ['noExtension', 'README', ''],
      ['endsInDot', 'ends.', ''],
      ['longExtension', `a.${'e'.repeat(33)}`, ''],
      ['bidi', 'invoice\u202egpj', '.exe'],
      ['composed', 'caf\u00e9', '.txt'],
      ['decomposed', 'cafe\u0301', '.txt'],
      ['spaces', ' a b \u{1f600}', '.txt'],
      ['escapes', '50%2F', '.txt'],
      ['named', 'mine', '.csv'],
      ['namedBare', 'LICENSE', ''],
      ['cidAndFile', 'both', '.txt'],
      ['allThree', 'three', '.txt'],
      ['ignoredName', 'kept', '.txt'],
    ])('%s is stored as base, time of the receipt and extension', (kind, base, extension) => {
      expect(nameOf(kind)).toBe(`${base}${stampOf(kind)}${extension}`);
    });

    it.each<[Kind, string]>([
      ['object', '.json'],
      ['array', '.json'],
      ['text', '.txt'],
      ['number', '.txt'],
      ['brokenJson', '.txt'],
      ['lineEnds', '.txt'],
    ])('inline data without a name (%s) is named from its CID, with %s', (kind, extension) => {
      expect(nameOf(kind)).toBe(`${receiptOf(kind)?.object_cid}${stampOf(kind)}${extension}`);
    });

    it('a long name is cut at a character boundary, so that the whole is at most 255 bytes', () => {
      const name = nameOf('longName') as string;
      expect(name).toMatch(/^ü+_/);
      expect(name.endsWith(`${stampOf('longName')}.text`)).toBe(true);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      expect(Buffer.byteLength(name)).toBeGreaterThan(252);
    });

    it('paths lie under stamped/ of the collection, or of the account, and hold the exact bytes', async () => {
      const user = stack().connection.userAddress;
      const inSet = answerOf('fileInSet').body.file_object;
      expect(inSet?.file_path).toBe(`${user}/collections/Caf\u00e9/stamped/${inSet?.file_name}`);
      for (const [kind, content] of [
        ['file', 'a photo'],
        ['zeroBytes', ''],
        ['object', ' {"a":1}\n'],
        ['hidden', 'SECRET=1'],
      ] as const) {
        const stored = answerOf(kind).body.file_object;
        expect(stored?.file_path).toBe(`${user}/stamped/${stored?.file_name}`);
        expect(await readFile(join(stack().objectsDirectory, stored?.file_path as string), 'utf8')).toBe(content);
      }
    });

    it('nothing is ever overwritten: other content under the same name gets digits of its CID', async () => {
      const contents = Array.from({ length: 4 }, (_, i) => `the same name ${i}`);
      const stored = await Promise.all(contents.map((content) => ada().stampParts([file('same.txt', content)])));
      const names = stored.map(({ body }) => body.file_object?.file_name as string);
      expect(new Set(names).size).toBe(contents.length);
      for (const [i, { body }] of stored.entries()) {
        const digits = `${body.commitment_receipt?.object_cid}`.slice(2, 10);
        expect(names[i]).toMatch(new RegExp(`^same(_${digits})?_\\d{4}-`));
        const path = join(stack().objectsDirectory, body.file_object?.file_path as string);
        expect(await readFile(path, 'utf8')).toBe(contents[i]);
      }
    });
  });
}
