import { describe, expect, it } from '@jest/globals';
import { createCors } from './cors.ts';

const requested = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' };

describe('CORS', () => {
  it('is off until origins are configured', () => {
    expect(createCors([])('OPTIONS', requested)).toEqual({ headers: {}, preflight: false });
  });
  it('of every origin names none, and does not vary', () => {
    const { headers, preflight } = createCors(['*'])('OPTIONS', requested);
    expect(preflight).toBe(true);
    expect(headers).toMatchObject({ 'Access-Control-Allow-Origin': '*' });
    expect(headers).not.toHaveProperty('Vary');
  });
  it('handles an OPTIONS that requests no method as no preflight', () => {
    expect(createCors(['*'])('OPTIONS', { origin: requested.origin }).preflight).toBe(false);
  });
  it('compares whole origins', () => {
    for (const origin of ['https://app.example.com.evil.com', 'http://app.example.com', 'https://app.example.com:444'])
      expect(createCors([requested.origin])('GET', { origin }).headers).toEqual({ Vary: 'Origin' });
  });
});
