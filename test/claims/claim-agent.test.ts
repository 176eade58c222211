import { afterEach, beforeEach, expect, test } from 'vitest';
import { authenticate, revokeCapability } from '../../src/claims/authenticate.ts';
import {
  askClaim,
  type ClaimDirectory,
  claimableListing,
  openClaimDirectory,
  putListings,
} from './claim-directory.ts';

let directory: ClaimDirectory;
beforeEach(async () => {
  directory = await openClaimDirectory();
});
afterEach(() => directory.close());

const file = 'dossier-claim.txt';
const handle = 'co.webhook/webhook';
const history = () => directory.context.store.claims.history(handle);

/** The ways to claim co.webhook/webhook, as every answer names them. */
const methods = [
  {
    method: 'repository',
    where:
      'Commit the line in the file dossier-claim.txt at the root of the default branch of https://github.com/webhook-co/webhook.',
  },
  {
    method: 'registry_key',
    where:
      'Sign the line with the private key whose public half webhook.co publishes for the MCP registry (a TXT record v=MCPv1, or https://webhook.co/.well-known/mcp-registry-auth). Send the line (the challenge) and the signature.',
  },
  {
    method: 'well_known',
    where:
      'Serve the line as plain text at https://webhook.co/.well-known/dossier-claim.txt, without a redirect.',
  },
  { method: 'dns', where: 'Add a TXT record with the line at _dossier-challenge.webhook.co.' },
];

/** Claims the listing and answers the pair that was used. */
async function claim() {
  directory.repository.commit({ 'README.md': 'Webhook\n' });
  const issued = await directory.ask();
  const commit = directory.repository.commit({ [file]: issued.file_contents as string });
  return { issued, commit, claimed: await directory.ask() };
}

test('the first call hands out a challenge and an inert capability, and stores nothing', async () => {
  directory.repository.commit({ 'README.md': 'Webhook\n' });
  const { challenge, capability, capability_id, file_contents, next, ...answer } = await directory.ask();
  expect(challenge).toMatch(/^dossier-claim-v1\.[A-Za-z0-9_-]{72}$/);
  expect(capability).toMatch(/^dossier_cap_[0-9A-Za-z]{49}$/);
  expect(capability_id).toMatch(/^[0-9a-f]{16}$/);
  expect(file_contents).toBe(`# Claim of co.webhook/webhook at https://dossier.example\n${challenge}\n`);
  expect(next).toMatch(
    /^The capability in this answer is a secret for your user to store: it is shown only once, /,
  );
  expect(next).toContain('Commit the line in the file dossier-claim.txt at the root of the default branch');
  expect(answer).toEqual({
    status: 'challenge_issued',
    handle: 'co.webhook/webhook',
    repository: 'https://github.com/webhook-co/webhook',
    claim_file: 'dossier-claim.txt',
    check: {
      result: 'file_absent',
      at: '2026-11-21T10:00:31.000Z',
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      branch: 'main',
      pinned: true,
    },
    message: 'There is no dossier-claim.txt at the root of the default branch. Commit it there.',
    expires_at: '2026-11-28T10:00:31.000Z',
    method: 'repository',
    methods,
  });
  expect(await directory.context.store.claims.claim(handle)).toBeUndefined();
  expect(await directory.context.store.log.size()).toBe(0);
  await expect(authenticate(directory.as(capability))).rejects.toMatchObject({ code: 'capability_invalid' });
});

test('a committed challenge makes its capability work, with history and a log leaf', async () => {
  const { issued, commit, claimed } = await claim();
  const { next, ...answer } = claimed;
  expect(answer).toEqual({
    status: 'claimed',
    handle: 'co.webhook/webhook',
    repository: 'https://github.com/webhook-co/webhook',
    claim_file: 'dossier-claim.txt',
    check: { result: 'proven', at: '2026-11-21T10:01:02.000Z', commit, branch: 'main', pinned: true },
    claimed_at: '2026-11-21T10:01:02.000Z',
    commit,
    capabilities: [{ id: issued.capability_id, activated_at: '2026-11-21T10:01:02.000Z' }],
    changed: 'activated',
    method: 'repository',
    methods: methods.map((one) => ({
      ...one,
      new_line: one.method === 'repository' ? 'keeps the claim after seven days' : 'begins a new claim',
    })),
  });
  expect(next).toContain(
    'If two checks a day or more apart do not find the line, the capability is suspended.',
  );
  expect(await history()).toEqual([
    {
      type: 'activated',
      at: '2026-11-21T10:01:02.000Z',
      kind: 'repository',
      repository: 'https://github.com/webhook-co/webhook',
      root: 'github.com/webhook-co',
      root_generation: 0,
      commit,
      log_index: 0,
    },
  ]);
  expect(await directory.context.store.log.leaf(0)).toMatchObject({ type: 'claim.activated' });
  const capability = await authenticate(directory.as(issued.capability));
  expect(capability).toMatchObject({
    handle: 'co.webhook/webhook',
    id: issued.capability_id,
    state: 'active',
  });
  const claimedNow = await directory.context.store.listings.list({
    facets: ['state:claimed'],
    sort: 'relevance',
    after: undefined,
    limit: 10,
  });
  expect(claimedNow.map(({ handle }) => handle)).toEqual(['co.webhook/webhook']);
});

test('a stranger who calls repeatedly gets pairs that are worthless', async () => {
  directory.repository.commit({ 'README.md': 'Webhook\n' });
  const owner = await directory.ask();
  const strangers = [await directory.ask(), await askClaim(directory.context)];
  const asked = directory.git.requests.length;
  const polls = Array.from({ length: 1000 }, () => askClaim(directory.context));
  expect(new Set((await Promise.all(polls)).map(({ capability }) => capability)).size).toBe(1000);
  expect(directory.git.requests.length).toBe(asked);
  directory.repository.commit({ [file]: owner.challenge });
  const activating = await directory.ask();
  expect(activating).toMatchObject({ status: 'claimed', changed: 'activated' });
  expect(JSON.stringify(activating)).not.toContain('dossier_cap_');
  for (const { capability } of strangers)
    await expect(authenticate(directory.as(capability))).rejects.toMatchObject({
      code: 'capability_invalid',
    });
  expect(await authenticate(directory.as(owner.capability))).toMatchObject({ state: 'active' });
});

test('who commits after the first look and asks at once has the claim', async () => {
  directory.repository.commit({ 'README.md': 'Webhook\n' });
  const issued = await directory.ask();
  directory.repository.commit({ [file]: issued.challenge });
  expect(await askClaim(directory.context)).toMatchObject({ status: 'claimed', changed: 'activated' });
});

test('the second look within 30 seconds counts: later callers get its result, and the host is not requested', async () => {
  directory.repository.commit({ 'README.md': 'Webhook\n' });
  await directory.ask();
  const first = await askClaim(directory.context);
  expect(first.check.retry_after_s).toBeUndefined();
  const asked = directory.git.requests.length;
  directory.wait(10);
  const soon = await askClaim(directory.context);
  expect(soon.check).toMatchObject({
    result: 'file_absent',
    at: '2026-11-21T10:00:31.000Z',
    retry_after_s: 20,
  });
  expect(soon.message).toBe(
    'There is no dossier-claim.txt at the root of the default branch. Commit it there. Checked at 2026-11-21T10:00:31.000Z; the next check is possible in 20 seconds.',
  );
  directory.wait(19);
  expect((await askClaim(directory.context)).message).toMatch(/; the next check is possible in 1 second\.$/);
  expect(directory.git.requests.length).toBe(asked);
  expect(asked).toBe(4);
});

test('every line of the first claim works', async () => {
  directory.repository.commit({ 'README.md': 'Webhook\n' });
  const pairs = [];
  for (let count = 0; count < 7; count++) pairs.push(await directory.ask());
  directory.repository.commit({ [file]: pairs.map(({ challenge }) => challenge).join('\n') });
  expect(await directory.ask()).toMatchObject({ capabilities: { length: 7 } });
  for (const { capability } of pairs)
    expect(await authenticate(directory.as(capability))).toMatchObject({ state: 'active' });
});

test('only the branch that HEAD names counts', async () => {
  directory.repository.commit({ 'README.md': 'Webhook\n' });
  const issued = await directory.ask();
  directory.repository.commit({ [file]: issued.challenge }, 'claim');
  expect(await directory.ask()).toMatchObject({ check: { result: 'file_absent', branch: 'main' } });
  directory.repository.setDefaultBranch('claim');
  expect(await directory.ask()).toMatchObject({ status: 'claimed', check: { branch: 'claim' } });
});

test('a committed capability is ended for good, used or not', async () => {
  directory.repository.commit({ 'README.md': 'Webhook\n' });
  const issued = await directory.ask();
  directory.repository.commit({ [file]: `${issued.challenge}\n${issued.capability}\n` });
  const answer = await directory.ask();
  expect(answer).toMatchObject({
    status: 'not_proven',
    reason: 'secret_published',
    check: { result: 'secret_published' },
    message:
      'A capability was published in dossier-claim.txt or at another location, so it was ended for good. Remove it if it is still there, and commit only a line whose capability was not published.',
  });
  directory.repository.commit({ [file]: issued.challenge });
  expect(await directory.ask()).toMatchObject({ status: 'not_proven', reason: 'secret_published' });
  await expect(authenticate(directory.as(issued.capability))).rejects.toMatchObject({
    code: 'capability_revoked',
  });
  const second = await directory.ask();
  directory.repository.commit({ [file]: second.challenge });
  await directory.ask();
  directory.repository.commit({ [file]: `${second.challenge} ${second.capability}` });
  expect(await directory.ask()).toMatchObject({ status: 'not_proven', reason: 'secret_published' });
  expect((await history()).map(({ type, reason }) => [type, reason])).toEqual([
    ['activated', undefined],
    ['revoked', 'secret_published'],
    ['suspended', 'secret_published'],
  ]);
});

test('a revoked capability never comes back; a new line does', async () => {
  const { issued } = await claim();
  const revoked = await revokeCapability(directory.as(issued.capability));
  expect(revoked).toEqual({
    handle: 'co.webhook/webhook',
    capability_id: issued.capability_id,
    revoked_at: '2026-11-21T10:01:02.000Z',
  });
  await expect(revokeCapability(directory.as(issued.capability))).rejects.toMatchObject({
    code: 'capability_revoked',
  });
  const fresh = await directory.ask();
  expect(fresh).toMatchObject({ status: 'not_proven', reason: 'reused' });
  directory.repository.commit({ [file]: `${issued.challenge}\n${fresh.challenge}\n` });
  expect(await directory.ask()).toMatchObject({
    status: 'claimed',
    changed: 'activated',
    capabilities: [{ id: fresh.capability_id }],
  });
  expect((await history()).map(({ type, reason }) => [type, reason])).toEqual([
    ['activated', undefined],
    ['revoked', undefined],
    ['suspended', 'withdrawn'],
    ['activated', undefined],
  ]);
  expect(await directory.context.store.log.leaf(1)).toMatchObject({ type: 'capability.revoked' });
});

test('challenge only checks, and never returns a secret', async () => {
  directory.repository.commit({ 'README.md': 'Webhook\n' });
  const issued = await directory.ask();
  const { challenge } = issued;
  const before = await directory.ask({ challenge });
  expect(before).toMatchObject({ status: 'not_proven', reason: 'file_absent' });
  directory.repository.commit({ [file]: challenge });
  const after = await directory.ask({ challenge });
  expect(after).toMatchObject({ status: 'claimed', changed: 'activated' });
  const both = await directory.ask({ challenge, rotate: true });
  expect(both).toMatchObject({ status: 'claimed', changed: 'none' });
  const other = await directory.ask({ challenge: (await directory.ask({ rotate: true })).challenge });
  expect(other).toMatchObject({ status: 'not_proven', reason: 'no_challenge_in_file' });
  for (const answer of [before, after, both, other]) {
    expect(JSON.stringify(answer)).not.toContain('dossier_cap_');
    expect(answer.challenge).toBeUndefined();
  }
  await expect(directory.ask({ challenge: 'dossier-claim-v1.short' })).rejects.toMatchObject({
    code: 'invalid_input',
    facts: { fields: [{ field: 'challenge' }] },
  });
  await expect(directory.ask({ challenge: issued.capability })).rejects.toMatchObject({
    code: 'secret_in_body',
  });
});

test('an optout line withdraws the listing and its claim', async () => {
  const { issued } = await claim();
  directory.repository.commit({ [file]: 'optout co.webhook/other\r\noptout co.webhook/webhook\r\n' });
  const answer = await directory.ask({}, issued.capability);
  expect(answer).toMatchObject({
    status: 'opted_out',
    check: { result: 'listing_withdrawn' },
    opted_out_at: (await history()).at(-1)?.at,
    message: expect.stringMatching(/ the listing is withdrawn\. It is listed again when .* answers 410, /),
    next: expect.stringMatching(/^Keep the line as long as /),
  });
  expect(answer).not.toHaveProperty('capability');
  const row = await directory.context.store.listings.byHandle(handle);
  expect(row).toMatchObject({ withdrawn: 'optout', title: undefined, description: '', endpoint: undefined });
  expect(await directory.context.store.listings.count()).toBe(0);
  expect((await history()).map(({ type, reason }) => [type, reason])).toEqual([
    ['activated', undefined],
    ['suspended', 'withdrawn'],
    ['listing_withdrawn', 'optout'],
  ]);
});

test('a listing that cannot be claimed is refused with the reason', async () => {
  await putListings(
    directory.context.store,
    claimableListing(2, 'org.example/none', undefined),
    claimableListing(5, 'io.github.b/none', undefined),
    claimableListing(3, 'org.example/forge', 'https://git.example.org/a/b'),
    { ...claimableListing(4, 'org.example/gone', 'https://github.com/a/b'), withdrawn: 'deleted' },
  );
  const codes = [
    ['no slash', 'invalid_handle'],
    ['org.example/missing', 'unknown_handle'],
    ['CO.webhook/webhook', 'unknown_handle'],
    ['org.example/none', 'no_repository', 'repository'],
    ['org.example/forge', 'host_unsupported', 'repository'],
    ['io.github.b/none', 'no_repository', 'repository'],
    ['io.github.b/none', 'method_unsupported', 'dns'],
    ['co.webhook/webhook', 'method_unsupported', 'profile_repository'],
    ['org.example/gone', 'listing_withdrawn'],
  ];
  for (const [asked, code, method] of codes)
    await expect(askClaim(directory.context, { handle: asked, method })).rejects.toMatchObject({ code });
  expect(directory.git.requests).toEqual([]);
});

test('without a usable capability nothing is authenticated', async () => {
  const codes = [
    ['', 'capability_required'],
    ['conflict', 'capability_conflict'],
    ['dossier_cap_0Eoh211G4c8wtVWM00my5rsNSFlKgaWqQ4mb8gdEqno1EbQJR', 'capability_invalid'],
    ['dossier_cap_0Eoh211G4c8wtVWM00my5rsNSFlKgaWqQ4mb8gdEqno1EbQJQ', 'capability_invalid'],
  ] as const;
  for (const [capability, code] of codes)
    await expect(authenticate(directory.as(capability))).rejects.toMatchObject({ code });
});
