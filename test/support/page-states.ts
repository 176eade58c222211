import type { Page } from 'playwright-core';
import type { ClaimedDirectory } from './claimed-directory.ts';
import { observedStates } from './observed-entries.ts';
import { openObservedStates } from './observed-states.ts';
import { openShownDirectory } from './shown-directory.ts';

/** A page in one of its states: where it is, and what a visitor does there first. */
export interface PageState {
  readonly name: string;
  readonly path: string;
  /** Brings the page into the state after it was opened; the directory may be changed on the way. */
  prepare?(page: Page, directory: ClaimedDirectory): Promise<void>;
  /** The page's answer is a problem: its status. */
  readonly status?: number;
}

const long =
  'io.github.a-publisher-with-a-rather-long-account-name/model-context-protocol-server-for-everything';

const comparedEight = `/compare?${new URLSearchParams([
  ...[
    'co.webhook/webhook',
    'com.politicalcomms/api',
    long,
    'com.example/no-repository',
    'com.example/suspended',
    'com.example/gone',
    'io.github.mass-publisher/generated-server-03',
    'co.webhook/webhok',
  ].map((handle) => ['handle', handle]),
  ['active', 'true'],
  ['has_endpoint', 'true'],
  ['transport', 'streamable-http'],
  ['namespace_matches_repository_owner', 'true'],
  ['publisher_listings_at_most', '10'],
  ['claimed', 'true'],
  ['independent_sources_at_least', '3'],
  ['succeeded_percent_at_least', '80'],
])}`;

const plain = (name: string, path: string, status?: number): PageState => ({ name, path, status });

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

const asksForChallenge = async (page: Page, { wait }: ClaimedDirectory) => {
  wait(31);
  await press(page, 'Get a capability and a line');
  await page.getByText('it is shown only once').waitFor();
};

/** Pages of `openShownDirectory`, empty and full, before and after what can be done on them. */
export const shownStates: readonly PageState[] = [
  plain('home', '/'),
  plain('listings', '/agents'),
  plain('listings-searched', '/agents?q=webhook'),
  plain('listings-filtered', '/agents?q=server&has_endpoint=true&tag=webhooks'),
  plain('listings-none', '/agents?q=nothingofthekind'),
  plain('listings-near', '/agents?q=webhok+server&has_endpoint=true'),
  plain('listings-wrong', '/agents?q=webhook&state=best', 422),
  plain('tags', '/tags'),
  plain('tag', '/tags/webhooks'),
  plain('publisher', '/publishers/co.webhook'),
  plain('publisher-many', '/publishers/io.github.mass-publisher'),
  plain('history', '/agents/co.webhook/webhook/history'),
  plain('tools-of-listing', '/agents/co.webhook/webhook/tools'),
  plain('log', '/log'),
  plain('log-entry', '/log/entry/1'),
  plain('compare-empty', '/compare'),
  plain('compare-add', '/compare?handle=co.webhook%2Fwebhook&add=server'),
  plain('compare-two', '/compare?handle=co.webhook/webhook&handle=com.politicalcomms/api'),
  plain('compare-eight', comparedEight),
  plain('compare-wrong', '/compare?handle=co.webhook%2Fwebhook&handle=x.y%2Fz&updated_within_days=0', 422),
  plain('tools', '/tools'),
  plain('about', '/about'),
  plain('mcp', '/api/mcp'),
  plain('listing-empty', '/agents/com.example/no-repository'),
  plain('listing-unrated', '/agents/com.politicalcomms/api'),
  plain('listing-full', '/agents/co.webhook/webhook'),
  plain('listing-long', `/agents/${long}`),
  plain('listing-versions', '/agents/org.versions/many'),
  plain('listing-unclaimed', '/agents/com.example/fresh'),
  plain('listing-suspended', '/agents/com.example/suspended'),
  plain('listing-one-of-many', '/agents/io.github.mass-publisher/generated-server-03'),
  plain('ratings', '/agents/co.webhook/webhook/ratings'),
  plain('ratings-filtered', '/agents/co.webhook/webhook/ratings?outcome=failed'),
  plain('ratings-no-fit', '/agents/co.webhook/webhook/ratings?outcome=refused&group=independent'),
  plain('ratings-none', '/agents/org.versions/many/ratings'),
  plain('claim', '/agents/org.versions/many/claim'),
  plain('claim-long', `/agents/${long}/claim`),
  plain('claim-standing', '/agents/co.webhook/webhook/claim'),
  plain('claim-suspended', '/agents/com.example/suspended/claim'),
  {
    name: 'claim-challenge',
    path: '/agents/com.example/fresh/claim',
    prepare: asksForChallenge,
  },
  {
    name: 'claim-not-shown',
    path: '/agents/com.example/wrong-file/claim',
    async prepare(page, directory) {
      await asksForChallenge(page, directory);
      await press(page, 'I committed it: check again');
      await page.getByText('The challenge is not in').waitFor();
    },
  },
  {
    name: 'claim-new-line',
    path: '/agents/co.webhook/webhook/claim',
    async prepare(page, { wait }) {
      wait(31);
      await press(page, 'Get another capability');
      await page.getByText('it is shown only once').waitFor();
    },
  },
  {
    name: 'claim-key-refused',
    path: '/agents/co.webhook/webhook/claim',
    async prepare(page) {
      await page.locator('#key-repository').fill(`dossier_cap_${'a'.repeat(49)}`);
      await press(page, 'Get another capability');
      await page.getByText('Nothing was done.').waitFor();
    },
    status: 401,
  },
  {
    name: 'claim-opt-out',
    path: '/agents/co.webhook/webhook/claim',
    async prepare(page, { wait }) {
      wait(31);
      await press(page, 'Check for the opt-out line');
      await page.getByText('found no line optout').waitFor();
    },
  },
  plain('badge', '/agents/co.webhook/webhook/badge'),
  plain('badge-unrated', '/agents/org.versions/many/badge'),
  plain('feedback', '/feedback?handle=co.webhook/webhook'),
  plain('feedback-report', '/feedback?category=report&handle=co.webhook/webhook'),
  {
    name: 'feedback-wrong',
    path: '/feedback',
    async prepare(page) {
      await page.getByLabel('Message').fill('The endpoint of this listing moved.');
      await page.getByLabel('Handle of the listing').fill('not a handle');
      await press(page, 'Send feedback');
      await page.locator('#handle-error').waitFor();
    },
    status: 422,
  },
  {
    name: 'feedback-received',
    path: '/feedback',
    async prepare(page) {
      await page.getByLabel('Message').fill('The endpoint of this listing moved.');
      await press(page, 'Send feedback');
      await page.getByText('Received.').waitFor();
    },
  },
  plain('problem-near', '/agents/co.webhook/webhok', 404),
  plain('problem-gone', '/agents/com.example/gone', 410),
  plain('moderated-listing', '/agents/org.moderated/hidden'),
  plain('moderated-gone', '/agents/org.moderated/withdrawn', 410),
  plain('moderated-rated', '/agents/org.moderated/rated'),
  plain('moderated-ratings', '/agents/org.moderated/rated/ratings'),
  plain('moderated-publisher', '/publishers/org.moderated'),
  plain('problem-nothing', '/nothing/here', 404),
  plain('problem-input', '/agents/co.webhook/webhook/ratings?cursor=x', 422),
];

const payee = '0x2222222222222222222222222222222222222222';
const of = observedStates;

/** Pages of `openObservedStates`: what checks found, and what somebody looks for before a payment. */
const checkedStates: readonly PageState[] = [
  plain('home-checked', '/'),
  plain('payee', `/payees/eip155:8453:${payee}`),
  plain('payee-former', '/payees/eip155:8453:0x1111111111111111111111111111111111111111'),
  plain('payee-any-network', `/payees/${payee}`),
  plain('payee-other-network', `/payees/eip155:1:${payee}`),
  plain('payee-solana', '/payees/DYw8jCTfwHNRJhhmFcbXvVDTqWMEVFBX6ZKUmG5CNSKK'),
  plain('payee-unknown', '/payees/eip155:8453:0x9999999999999999999999999999999999999999', 404),
  ...Object.entries(of).flatMap(([name, handle]) => [plain(`checked-${name}`, `/agents/${handle}`)]),
  ...(['paid', 'toolsChanged', 'moved', 'malicious', 'besidesTools', 'severalOffers'] as const).map((name) =>
    plain(`checked-${name}-history`, `/agents/${of[name]}/history`),
  ),
  ...(['toolsChanged', 'besidesTools'] as const).map((name) =>
    plain(`checked-${name}-tools`, `/agents/${of[name]}/tools`),
  ),
  plain('publisher-checked', '/publishers/com.quotewire'),
  plain('publisher-malicious', '/publishers/com.bundled'),
  plain('publisher-rated', '/publishers/com.findwell'),
  plain('checked-moved-versions', `/agents/${of.moved}/versions`),
  plain('checked-manyVersions-versions', `/agents/${of.manyVersions}/versions`),
  plain('named-payee', `/agents?q=eip155:8453:${payee}`),
  plain('named-former-place', '/agents?q=mcp.relocated.com'),
  plain('named-former-repository', '/agents?q=relocated/mail'),
  plain('named-version', '/agents?q=bundled-export@1.3.0'),
  plain('named-malware', '/agents?q=npm:bundled-export@1.4.2'),
  plain(
    'compare-checked',
    `/compare?${[of.malicious, of.moved, of.paid].map((handle) => `handle=${handle}`).join('&')}`,
  ),
];

/** Every page of the service, by the directory that has it. */
export const pageStates = [
  { of: 'claims and ratings', open: openShownDirectory, states: shownStates },
  { of: 'checks', open: openObservedStates, states: checkedStates },
];
