import { describe, expect, it } from 'vitest';
import { toStaticRank } from '../../src/listings/listing.ts';

describe('the static order', () => {
  it('is first publication, then a checksum of the handle', () => {
    expect(toStaticRank('co.webhook/webhook', '2026-07-01T00:00:00.000Z')).toBe(1825652736000203);
    expect(toStaticRank('com.politicalcomms/api', '2026-07-01T00:00:00.000Z')).toBe(1825652736000362);
  });
  it.each(['1969-12-31T23:59:59.000Z', '9999-12-31T23:59:59.999Z'])('stays a whole number for %s', (time) => {
    const order = toStaticRank('a.b/c', time);
    expect(Number.isSafeInteger(order) && order >= 0).toBe(true);
  });
});
