import { describe, expect, it } from '@jest/globals';
import { faultOfError } from './webhook-fault.ts';

describe('the message of a fault', () => {
  it.each([`${'x'.repeat(199)}😀 and more`, `lone \ud83d surrogate`])('is text that a table takes: %#', (reason) => {
    const { fault, message } = faultOfError(Object.assign(new Error('tls'), { reason }), true);
    expect(fault).toBe('tls');
    expect(message.isWellFormed()).toBe(true);
    expect(message.length).toBeLessThanOrEqual(200);
  });
});
