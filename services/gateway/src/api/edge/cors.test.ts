import { describe, expect, it } from '@jest/globals';
import { createCors } from './cors.ts';

const asked = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' };

describe('CORS', () => {
  it('is off until origins are configured', () => {
    expect(createCors([])('OPTIONS', asked)).toEqual({ headers: {}, preflight: false });
  });
  it('of every origin names none, and does not vary', () => {
    const { headers, preflight } = createCors(['*'])('OPTIONS', asked);
    expect(preflight).toBe(true);
    expect(headers).toMatchObject({ 'Access-Control-Allow-Origin': '*' });
    expect(headers).not.toHaveProperty('Vary');
  });
  it('takes an OPTIONS that asks for no method for what it is', () => {
    expect(createCors(['*'])('OPTIONS', { origin: asked.origin }).preflight).toBe(false);
  });
  it('compares whole origins', () => {
    for (const origin of ['https://app.example.com.evil.com', 'http://app.example.com', 'https://app.example.com:444'])
      expect(createCors([asked.origin])('GET', { origin }).headers).toEqual({ Vary: 'Origin' });
  });
});
