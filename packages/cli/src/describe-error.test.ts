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
