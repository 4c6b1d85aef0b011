import { describe, expect, it } from '@jest/globals';
import { readProfile } from './profile.ts';

const given = { name: ' Ada ', email: 'ada@example.com' };

describe('what is shown about an account', () => {
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
    [{ name: 'a\nb' }, 'name must not contain control characters'],
    [{ description: 'a\u0085b' }, 'description must not contain control characters'],
    [{ name: 'a\ud800' }, 'name must not contain lone surrogates'],
    [{ email: 'ada' }, 'email must be an e-mail address'],
    [{ email: 'a@b@c' }, 'email must be an e-mail address'],
    ...['Mars/Olympus', '+01:00', '-08', 'europe/zurich', 'Europe/ZURICH', 'utc'].map(
      (displayTimezone) =>
        [{ displayTimezone }, 'display timezone must be an IANA name such as Europe/Zurich'] as const,
    ),
  ])('names the faulty field of %j', (fault, message) => {
    expect(() => readProfile({ ...given, ...fault })).toThrow(message);
  });

  it.each(['UTC', 'Europe/Zurich', 'America/Argentina/Buenos_Aires', 'Asia/Calcutta', 'Etc/GMT+5'])(
    'has the IANA time zone %s',
    (displayTimezone) => {
      expect(readProfile({ ...given, displayTimezone }).displayTimezone).toBe(displayTimezone);
    },
  );
});
