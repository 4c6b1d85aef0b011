import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { localStart, runCommand } from './command-line.ts';

jest.setTimeout(60_000);

describe('indelible doctor', () => {
  let start: Awaited<ReturnType<typeof localStart>>;
  const doctor = (...words: string[]) =>
    runCommand(['doctor', '--recheck-after', '0', ...words], { folder: start.folder });
  beforeAll(async () => {
    start = await localStart();
    await start.connect('http://127.0.0.1:9');
  });
  afterAll(() => start?.dispose());

  it('finds what a local start wrote, and says what it could not look at', async () => {
    const views = await doctor('--only', 'views');
    expect(views).toMatchObject({ code: 2, err: '' });
    expect(views.out).toMatch(
      /^\? views\n {4}could not look any further: Postgres \(DATABASE_URL\): .*run the migrations$/m,
    );
    const lanes = await doctor('--only', 'lanes', '--json');
    expect([lanes.code, JSON.parse(lanes.out)]).toMatchObject([
      2,
      { verdict: 2, findings: [{ check: 'lanes', outcome: 'not looked', away: expect.stringMatching(/RPC_URL/) }] },
    ]);
  });

  it('asks only for the settings of the checks it is to make, and ends with 2 when one is missing', async () => {
    expect(await doctor('--only', 'files')).toEqual({
      code: 2,
      out: '',
      err: 'indelible: run `npm start` first, or set BLOB_STORE_DIRECTORY\n',
    });
  });

  it.each([
    ['--only', 'everything'],
    ['--show', '0'],
    ['--recheck-after', '-1'],
  ])('refuses %s %s', async (...words) => {
    expect(await doctor(...words)).toMatchObject({ code: 2, err: expect.stringContaining(words[0] as string) });
  });
});
