import { describe, expect, it } from '@jest/globals';
import { readProfile } from './profile.ts';

const given = { name: ' Ada ', email: 'ada@example.com' };

describe('what is told about an account', () => {
  it('is trimmed; the description is empty and the timezone UTC when left out', () => {
    expect(readProfile(given)).toEqual({
      name: 'Ada',
      email: 'ada@example.com',
      description: '',
      displayTimezone: 'UTC',
    });
  });

  it.each([
    [{ name: ' ' }, 'name must not be empty'],
    [{ name: 'a'.repeat(201) }, 'name must be at most 200 characters'],
    [{ name: 'a\nb' }, 'name must be text without control characters'],
    [{ email: 'ada' }, 'email must be an e-mail address'],
    [{ email: 'a@b@c' }, 'email must be an e-mail address'],
    [{ displayTimezone: 'Mars/Olympus' }, 'display timezone must be an IANA name such as Europe/Zurich'],
  ])('names the faulty field of %j', (fault, message) => {
    expect(() => readProfile({ ...given, ...fault })).toThrow(message);
  });
});
