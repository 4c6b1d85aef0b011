import { keepSecret } from '@indelible/service-runtime';
import { expect, it } from '@jest/globals';
import { describeError } from './describe-error.ts';

it('an error that a command prints has no secret, whoever wrote its text (I10)', () => {
  keepSecret(['a s3cret/password']);
  const error = new Error(
    `no pg_hba entry for postgres://user:a%20s3cret%2Fpassword@host, password "a s3cret/password",\n key ind_${'x'.repeat(36)}`,
  );
  expect(describeError(error)).toBe(
    'no pg_hba entry for postgres://user:[redacted]@host, password "[redacted]", key ind_[redacted]',
  );
});

it('an error of a role that may not do this says which variable to set', () => {
  const error = Object.assign(new Error('permission denied for table accounts'), { code: '42501' });
  expect(describeError(error)).toBe(
    "permission denied for table accounts: set DATABASE_URL to a role that may (a command that writes: the operator's)",
  );
});

it('an error of an administrator who does not own what is to change has no hint to the operator', () => {
  const error = Object.assign(new Error('must be owner of table stamps'), { code: '42501' });
  expect(describeError(error)).toBe('must be owner of table stamps');
});
