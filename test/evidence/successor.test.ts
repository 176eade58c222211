import { expect, it } from 'vitest';
import { successorOf } from '../../src/document/answers/answers.ts';
import { toListingDocument } from '../../src/document/document.ts';
import { listing, listingCases } from '../sentences/cases.ts';

const place = {
  publicUrl: 'http://127.0.0.1:3000',
  observeInterval_s: 86_400,
  hasPages: true,
  operatorContact: '',
};

const named = (status_message: string, origin_status: 'active' | 'deprecated' = 'deprecated') => {
  const [facts] = listingCases;
  if (!facts) throw new Error('there is no case');
  const changed = { ...facts, listing: { ...listing, status_message, origin_status } };
  return successorOf(toListingDocument(changed, place, new Date('2026-11-20T08:00:00.000Z')));
};

it.each([
  ['Replaced by com.other/tool.', 'com.other/tool'],
  ['Deprecated, use io.github.acme/new instead', 'io.github.acme/new'],
  ['New pricing: see acme.com/pricing.', undefined],
  ['Works best together with com.other/tool', undefined],
  ['Moved to github.com/acme', undefined],
  ['Replaced by com.example/service', undefined],
])('a deprecated listing whose publisher writes “%s” is replaced by %s', (message, successor) => {
  expect(named(message)).toBe(successor);
});

it('an active listing is replaced by nothing, whatever its publisher writes', () => {
  expect(named('Use com.other/tool', 'active')).toBeUndefined();
});
