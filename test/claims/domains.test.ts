import { describe, expect, test } from 'vitest';
import { callTool } from '../support/directory.ts';
import { serverFailure } from '../support/endpoints/dns-server.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { wellKnown } from './domain-directory.ts';
import { openEach } from './open-each.ts';

const handle = 'com.example/tool';
const name = '_dossier-challenge.example.com';
const directory = openEach(
  [
    registryEntry(handle, remotesAt('https://mcp.example.com/mcp')),
    registryEntry('com.example.api/tool'),
    registryEntry('COM.Example/other', remotesAt('https://{tenant}.example.com/mcp')),
    registryEntry('io.GitHub.Alice/tool'),
  ],
  ['example.com', 'api.example.com'],
);

const history = () => directory.history(handle);

test('a listing without a repository names the ways of its domain, the easiest first', async () => {
  const issued = await directory.ask(handle);
  expect(issued).toMatchObject({ method: 'registry_key', domain: 'example.com' });
  expect((issued.methods as { method: string }[]).map(({ method }) => method)).toEqual([
    'registry_key',
    'well_known',
    'dns',
  ]);
  expect(issued.repository).toBeUndefined();
});

test('a namespace with capitals is of the same domain, and one of a forge account of none', async () => {
  const other = { method: 'well_known' };
  const issued = await directory.ask('COM.Example/other', other);
  expect(issued).toMatchObject({ status: 'challenge_issued', domain: 'example.com' });
  directory.web.files.set(wellKnown, issued.challenge);
  expect(await directory.ask('COM.Example/other', other)).toMatchObject({ status: 'claimed' });
  expect(await directory.markdownOf('COM.Example/other')).toContain(
    'The recorded endpoint at \\_tenant\\_.example.com is on example.com.',
  );
  const forge = await directory.ask('io.GitHub.Alice/tool');
  expect((forge.methods as { method: string }[]).map(({ method }) => method)).toEqual(['profile_repository']);
});

describe('a file on the web server of the domain', () => {
  const ask = (input = {}) => directory.ask(handle, { method: 'well_known', ...input });
  const serve = (text: string) => directory.web.files.set(wellKnown, text);

  test('proves the claim; taking it away suspends, putting it back restores', async () => {
    const issued = await ask();
    expect(issued).toMatchObject({
      status: 'challenge_issued',
      check: { result: 'well_known_absent', pinned: true, domain: 'example.com' },
      message:
        'There is nothing at https://example.com/.well-known/dossier-claim.txt. Serve the challenge line there as plain text.',
    });
    serve(String(issued.file_contents));
    expect(await ask()).toMatchObject({ status: 'claimed', changed: 'activated', domain: 'example.com' });
    expect(await directory.standing(issued.capability)).toBe('200');
    const claim = await directory.claimOf(handle);
    expect(claim).toMatchObject({ kind: 'well_known', domain: 'example.com' });
    expect(claim?.statement).toMatch(
      /^Control of what https:\/\/example\.com\/\.well-known\/ serves was shown on \d{4}-\d\d-\d\d\. The recorded endpoint at mcp\.example\.com is on example\.com\. This says nothing about quality or about the publisher\.$/,
    );
    directory.web.files.delete(wellKnown);
    expect(await directory.askTwice(handle, { method: 'well_known' })).toMatchObject({
      status: 'challenge_issued',
    });
    expect(await directory.standing(issued.capability)).toBe('capability_suspended');
    expect(JSON.stringify(await callTool(directory.directory, 'get_agent', { handle }))).toMatch(
      /claim of [\d-]{10} was suspended on \d{4}-\d\d-\d\d \(its proof is no longer there\)/,
    );
    serve(issued.challenge);
    expect(await ask()).toMatchObject({ status: 'claimed', changed: 'restored' });
    expect(await history()).toEqual([
      'activated dns:example.com 0',
      'suspended proof_missing dns:example.com 0',
      'restored dns:example.com 0',
    ]);
  });

  test('a redirect, an error or a sign-in page takes nothing away', async () => {
    const issued = await ask();
    serve(issued.challenge);
    await ask();
    const answers: [number, Record<string, string>, string][] = [
      [302, { location: 'https://other.example/' }, 'redirect_refused'],
      [301, { location: '/elsewhere' }, 'redirect_refused'],
      [503, {}, 'host_error'],
      [403, {}, 'host_error'],
      [429, { 'retry-after': '60' }, 'host_rate_limited'],
      [200, { 'content-type': 'text/html' }, 'html_page'],
    ];
    for (const [status, headers, result] of answers) {
      directory.web.fault = (_request, response) =>
        void response.writeHead(status, headers).end('<html>sign in');
      expect(await ask()).toMatchObject({ status: 'claimed', check: { result } });
    }
    expect(await history()).toEqual(['activated dns:example.com 0']);
  });

  test('a redirect is named without a host that it need not have', async () => {
    directory.web.fault = (_request, response) =>
      void response.writeHead(301, { location: '/elsewhere' }).end();
    expect(await ask()).toMatchObject({
      check: { result: 'redirect_refused' },
      message: 'The web server of example.com answers with a redirect, which is not followed.',
    });
  });
});

describe('a TXT record in the DNS of the domain', () => {
  const ask = (input = {}) => directory.ask(handle, { method: 'dns', ...input });
  async function claim() {
    const issued = await ask();
    directory.setTxt(name, 'v=spf1 -all', issued.challenge);
    expect(await ask()).toMatchObject({ status: 'claimed', changed: 'activated' });
    return issued;
  }

  test('proves the claim once all servers have it, and says how many saw it', async () => {
    const issued = await ask();
    expect(issued).toMatchObject({
      status: 'challenge_issued',
      check: { result: 'dns_no_record', pinned: true },
      copy: `_dossier-challenge.example.com. 300 IN TXT "${issued.challenge}"`,
    });
    const [first, second] = directory.dns;
    first.zone.set(name, [issued.challenge]);
    expect(await ask()).toMatchObject({
      status: 'not_proven',
      reason: 'dns_disagree',
      check: { pinned: false },
    });
    second.zone.set(name, [issued.challenge]);
    for (const server of directory.dns) server.isValidating = true;
    expect(await ask()).toMatchObject({
      status: 'claimed',
      check: { result: 'proven', domain: 'example.com', resolvers: 2, dnssec: true, pinned: true },
    });
    expect(await directory.claimOf(handle)).toMatchObject({
      kind: 'dns',
      domain: 'example.com',
      statement: expect.stringMatching(
        /^Control of the DNS of example\.com was shown on \d{4}-\d\d-\d\d, by a TXT record from two resolvers, validated there with DNSSEC\. The recorded endpoint at mcp\.example\.com is on example\.com\./,
      ),
    });
  });

  test('only absence on every server ends it', async () => {
    const issued = await claim();
    const [first, second] = directory.dns;
    const troubles: [() => void, string][] = [
      [() => first.zone.set(name, serverFailure), 'dns_no_answer'],
      [() => first.zone.set(name, 'silent'), 'dns_no_answer'],
      [() => first.zone.set(name, { alias: name }), 'dns_no_answer'],
      [
        () =>
          first.zone.set(
            name,
            Array.from({ length: 201 }, (_, at) => `record ${at}`),
          ),
        'dns_no_answer',
      ],
      [() => first.zone.delete(name), 'dns_disagree'],
    ];
    const { timeouts } = directory.directory.context;
    for (const [make, result] of troubles) {
      make();
      Object.assign(timeouts, { claimDns_ms: first.zone.get(name) === 'silent' ? 300 : 600_000 });
      expect(await ask()).toMatchObject({ status: 'claimed', check: { result, pinned: false } });
    }
    second.zone.delete(name);
    const gone = await directory.askTwice(handle, { method: 'dns' });
    expect(gone).toMatchObject({ status: 'challenge_issued', check: { result: 'dns_no_record' } });
    expect(await directory.standing(issued.capability)).toBe('capability_suspended');
  });

  test('is found behind an alias, and among 200 records over TCP', async () => {
    const issued = await ask();
    for (const { zone } of directory.dns) {
      zone.set(name, { alias: 'claims.hoster.example' });
      zone.set('claims.hoster.example', [
        ...Array.from({ length: 199 }, (_, at) => `another record ${at}`),
        issued.challenge,
      ]);
    }
    expect(await ask()).toMatchObject({ status: 'claimed', changed: 'activated' });
  });

  test('of a domain above also proves the namespace, and its root is that domain', async () => {
    const issued = await directory.ask('com.example.api/tool', { method: 'dns' });
    directory.setTxt(name, issued.challenge);
    expect(await directory.ask('com.example.api/tool', { method: 'dns' })).toMatchObject({
      status: 'claimed',
      check: { domain: 'example.com' },
    });
    expect(await directory.history('com.example.api/tool')).toEqual(['activated dns:example.com 0']);
    // Who was only given api.example.com cannot displace it.
    const thief = await directory.ask('com.example.api/tool', { method: 'dns', rotate: true });
    directory.setTxt('_dossier-challenge.api.example.com', thief.challenge);
    expect(await directory.ask('com.example.api/tool', { method: 'dns' })).toMatchObject({
      status: 'claimed',
      changed: 'none',
      capabilities: [{ id: issued.capability_id }],
    });
    expect(await directory.standing(thief.capability)).toBe('capability_invalid');
  });
});

test('a line that is moved between the names of a domain never fails a check, and ends as a claim of where it stands', async () => {
  const below = 'com.example.api/tool';
  const ask = (input = {}) => directory.ask(below, { method: 'dns', ...input });
  const issued = await ask();
  const upper = '_dossier-challenge.example.com';
  const lower = '_dossier-challenge.api.example.com';
  directory.setTxt(upper, issued.challenge);
  expect(await ask()).toMatchObject({ status: 'claimed' });
  directory.setTxt(upper);
  directory.setTxt(lower, issued.challenge);
  expect(await ask()).toMatchObject({ status: 'claimed', check: { result: 'dns_no_record' } });
  directory.directory.wait(86_400);
  await directory.directory.recheck();
  expect(await ask()).toMatchObject({ status: 'claimed', changed: 'activated' });
  directory.setTxt(lower);
  directory.setTxt(upper, issued.challenge);
  await ask();
  directory.directory.wait(86_400);
  expect(await ask()).toMatchObject({ changed: 'activated' });
  expect(await directory.history(below)).toEqual([
    'activated dns:example.com 0',
    'suspended proof_missing dns:example.com 0',
    'activated dns:api.example.com 0',
    'suspended proof_missing dns:api.example.com 0',
    'activated dns:example.com 1',
  ]);
  expect(await directory.standing(issued.capability)).toBe('200');
});
