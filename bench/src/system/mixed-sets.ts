/**
 * Every second commitment is of one set, the objects of which are asked for; the others are of ten sets of some ten
 * thousand, of hundreds of some thousand, and of none (when there are two million). Each thousandth repeats its neighbour's
 * object and second in another set.
 */
export const mixedSets = {
  ...{ chainId: 31_337, perBlock: 500 },
  object: 'case when n % 1000 = 999 then n - 1 else n end',
  group: `case when n % 2 = 0 then -1 when n % 10 in (1, 3) then n % 20 when n % 10 in (5, 7) then 1000 + n % 400
    when n % 200 = 9 then 999999 else 10000 + n % 100 * 1000 + n / 10 % 190 end`,
  set: `case when g = 999999 then decode(repeat('00', 32), 'hex') else sha256(('set' || g)::bytea) end`,
  user: `substr(sha256(('user' || case when g < 0 then 'big' else (g % 500)::text end)::bytea), 1, 20)`,
};

/** The number of the ith object of the set that has half of the commitments. */
export const objectOfLargeSet = (i: number): number => 2 * i;
