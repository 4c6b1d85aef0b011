import { describe, expect, it } from '@jest/globals';
import { actingAs, sessionAddress } from './session-address.ts';

const ca = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const tlsca = Buffer.from(ca).toString('base64url');

describe('the address of a session', () => {
  it('is the database URL as it was given', () => {
    const url = 'postgres://ada:p%40ss@db:5433/indelible?sslmode=no-verify';
    expect(sessionAddress(url)).toEqual({ connectionString: url });
  });

  it('checks the server against an authority that is in it, and against its name, whatever its sslmode lets out', () => {
    for (const mode of ['', 'sslmode=require&', 'sslmode=verify-full&'])
      expect(sessionAddress(`postgres://ada:p%40ss@db/indelible?${mode}application_name=x&tlsca=${tlsca}`)).toEqual({
        connectionString: 'postgres://ada:p%40ss@db/indelible?application_name=x',
        ssl: { ca, rejectUnauthorized: true },
      });
  });

  it('leaves the name aside with sslmode=verify-ca alone', () => {
    const { ssl } = sessionAddress(`postgres://db/indelible?sslmode=verify-ca&tlsca=${tlsca}`);
    expect(ssl).toEqual({ ca, rejectUnauthorized: true, checkServerIdentity: expect.any(Function) });
  });

  it('has the role that its sessions act as, beside an authority of its own', () => {
    const url = actingAs('postgres://ada:secret@db/indelible?sslmode=verify-full&tlsca=Y2E', 'the owner');
    const { connectionString, ssl, options } = sessionAddress(url);
    expect([connectionString, options]).toEqual(['postgres://ada:secret@db/indelible', '-c role=the\\ owner']);
    expect(ssl?.ca).toBe('ca');
    const plain = sessionAddress(actingAs('postgres://ada@db/indelible?sslmode=require', 'owner'));
    expect(plain).toEqual({
      connectionString: 'postgres://ada@db/indelible?sslmode=require',
      options: '-c role=owner',
    });
  });
});
