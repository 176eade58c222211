import { beforeAll, describe, expect, it } from 'vitest';
import { openDomainDirectory } from '../claims/domain-directory.ts';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';
import { onGitHub } from '../support/registry-entries.ts';

type Json = Record<string, unknown>;
const hour_s = 3600;

let made = 0;
/** Capabilities of listings that share nothing, by handle. */
const others = new Map<string, string>();

async function post(path: string, body: object, as?: string): Promise<Json> {
  const response = await service.directory.post(path, body, as);
  return (await response.json()) as Json;
}
const toRating = (change: object = {}) =>
  ratingOf('org.rated/r', {
    interaction_id: `limit-${made++}`,
    interaction_at: service.directory.context.clock().toISOString(),
    outcome: 'failed',
    relationship: 'none',
    ...change,
  });
const send = async (as: string, rating: object) => {
  const { status, code } = await post('/api/tools/submit_rating', rating, as);
  return String(code ?? status);
};
const rate = (as: string, change: object = {}) => send(as, toRating(change));

async function claimByDomain(handle: string): Promise<string> {
  const domain = handle.split('/')[0]?.split('.').toReversed().join('.');
  const { challenge, capability } = await service.ask(handle, { method: 'dns' });
  service.setTxt(`_dossier-challenge.${domain}`, challenge);
  expect([handle, (await service.ask(handle, { method: 'dns' })).status]).toEqual([handle, 'claimed']);
  return capability;
}
const claimAll = async (handles: readonly string[]) => {
  const capabilities: string[] = [];
  for (const handle of handles) capabilities.push(await claimByDomain(handle));
  return capabilities;
};
const refusals = (answers: readonly string[]) => answers.filter((answer) => answer === 'rate_limited').length;

const hosts = Array.from({ length: 19 }, (_, at) => `app.vercel.h${at}/x`);
const names = ['com.names/x', 'com.names.a/x', 'com.names.b.c/x'];
const lone = ['app.netlify.h/x', 'run.modal.h/x', 'page.codeberg.amy/x', 'page.codeberg.ben/x', 'com.lone/x'];

const service = await opened(
  openDomainDirectory(
    [
      ...[...hosts, ...names, ...lone, 'org.rated/r', 'org.other/r'].map((handle) => registryEntry(handle)),
      registryEntry('org.repository/one', onGitHub('owner/one')),
      registryEntry('org.repository/two', onGitHub('Owner/two')),
    ],
    [],
    {
      LIMITS: 'on',
      LIMIT_OVERRIDES: 'rating=2/1h,rating_subject=1000/1d,claim=1000/1m,mcp=1000/1m,feedback=2/1h',
    },
    // A limit would have room again while a slow machine asks.
    { isClockStill: true },
  ),
);

describe('hosts of one hosting service', () => {
  let capabilities: string[];
  beforeAll(async () => {
    capabilities = await claimAll(hosts);
    for (const handle of lone) others.set(handle, await claimByDomain(handle));
  });

  it('rate as often as sixteen sources together, and one of them no oftener than one', async () => {
    const flood: string[] = [];
    for (let time = 0; time < 40; time += 1) flood.push(await rate(String(capabilities[0])));
    expect(refusals(flood)).toBe(38);
    const rest: string[] = [];
    for (const as of capabilities.slice(1)) rest.push(await rate(as), await rate(as));
    expect(rest.map((answer, at) => (answer === 'created' ? at : -1)).filter((at) => at >= 0)).toHaveLength(
      30,
    );
    expect(refusals(rest)).toBe(6);
    for (const as of others.values()) expect(await rate(as)).toBe('created');
  });

  it('have room again as time passes, all together as much as sixteen', async () => {
    service.directory.wait(hour_s);
    const answers: string[] = [];
    for (const as of capabilities) answers.push(await rate(as), await rate(as));
    expect([answers.length, refusals(answers)]).toEqual([38, 6]);
  });

  it('may be refused by their own limit without a cost to the others', async () => {
    service.directory.wait(hour_s);
    const [flooding, ...rest] = capabilities;
    for (let time = 0; time < 20; time += 1) await rate(String(flooding));
    const answers: string[] = [];
    for (const as of rest.slice(0, 15)) answers.push(await rate(as), await rate(as));
    expect(refusals(answers)).toBe(0);
  });
});

describe('one source', () => {
  it('of a domain rates as often whatever the names below it', async () => {
    const answers: string[] = [];
    for (const as of await claimAll(names)) answers.push(await rate(as));
    expect(answers).toEqual(['created', 'created', 'rate_limited']);
  });

  it('of an account rates as often with all of its listings and capabilities', async () => {
    const capabilities: string[] = [];
    for (const [handle, path] of [
      ['org.repository/one', 'owner/one'],
      ['org.repository/two', 'Owner/two'],
    ] as const) {
      const repository = service.git.createRepository(path);
      const { challenge, capability } = await service.claim(handle);
      const next = await service.claim(handle);
      repository.commit({ 'dossier-claim.txt': `${challenge}\n${next.challenge}\n` });
      expect(await service.claim(handle)).toMatchObject({ status: 'claimed' });
      capabilities.push(capability, next.capability);
    }
    const answers: string[] = [];
    for (const as of capabilities) answers.push(await rate(as));
    expect(answers).toEqual(['created', 'created', 'rate_limited', 'rate_limited']);
  });

  it('is charged for amendments and for another subject, and not for replays, refusals and withdrawals', async () => {
    service.directory.wait(2 * hour_s);
    const as = String(others.get('com.lone/x'));
    const first = toRating();
    const { rating_id } = await post('/api/tools/submit_rating', first, as);
    const answers: string[] = [];
    for (let time = 0; time < 3; time += 1) answers.push(await send(as, first));
    answers.push(await send(as, { ...first, outcome: 'partial' }));
    answers.push(await rate(as, { handle: 'com.lone/x' }), await rate(as, { handle: 'org.none/r' }));
    answers.push(await rate(as, { score: 9 }));
    answers.push(String((await post('/api/tools/withdraw_rating', { rating_id }, as)).status));
    answers.push(await rate(as, { handle: 'org.other/r' }), await rate(as));
    expect(answers).toEqual([
      'replayed',
      'replayed',
      'replayed',
      'rating_exists',
      'self_rating',
      'unknown_subject',
      'invalid_input',
      'withdrawn',
      'created',
      'rate_limited',
    ]);
  });

  it('may withdraw once it may rate no more', async () => {
    service.directory.wait(2 * hour_s);
    const as = String(others.get('page.codeberg.amy/x'));
    const { rating_id } = await post('/api/tools/submit_rating', toRating(), as);
    expect([await rate(as), await rate(as)]).toEqual(['created', 'rate_limited']);
    expect(await post('/api/tools/withdraw_rating', { rating_id }, as)).toMatchObject({
      status: 'withdrawn',
    });
  });
});

describe('one network', () => {
  /** Asks as an address does. */
  const from = (address: string, path: string, init: { body?: object; as?: string; method?: string } = {}) =>
    service.directory.app.request(
      path,
      {
        method: init.method ?? 'POST',
        headers: {
          'content-type': 'application/json',
          ...(init.as && { authorization: `Bearer ${init.as}` }),
        },
        ...(init.body && { body: JSON.stringify(init.body) }),
      },
      { incoming: { socket: { remoteAddress: address } } },
    );
  const guess = `dossier_cap_${'a'.repeat(49)}`;

  it('guesses capabilities twenty times, whatever it asks with them, and a good one is heard after that', async () => {
    const good = String(others.get('run.modal.h/x'));
    const doors = ['/api/capability/revoke', '/api/capability/check', '/api/tools/submit_rating'];
    const seen: number[] = [];
    for (let time = 0; time < 24; time += 1) {
      const door = String(doors[time % doors.length]);
      const answer = await from('198.51.100.7', door, { body: toRating(), as: guess });
      seen.push(answer.status);
    }
    expect([seen.slice(0, 20).includes(429), seen.slice(20)]).toEqual([false, [429, 429, 429, 429]]);
    const asked = { as: good, method: 'GET' };
    expect((await from('198.51.100.7', '/api/capability', asked)).status).toBe(200);
    expect((await from('198.51.100.8', '/api/capability/revoke', { as: guess })).status).toBe(401);
  });

  it('guesses over MCP count too', async () => {
    const client = await connect('v2', { app: service.directory.app }, { authorization: `Bearer ${guess}` });
    const codes: unknown[] = [];
    for (let time = 0; time < 22; time += 1) {
      const { structuredContent = {} } = await client.call('submit_rating', toRating());
      codes.push((structuredContent.error as Json).code);
    }
    await client.close();
    expect([codes[0], codes.at(-1)]).toEqual(['capability_invalid', 'rate_limited']);
  });

  it.each([
    ['addresses of one /64', (at: number) => `2001:db8:5:1::${at + 1}`, 2],
    ['/64s of one /56', (at: number) => `2001:db8:6:${at.toString(16)}::1`, 8],
    ['/56s of one /48', (at: number) => `2001:db8:7:${(at * 256).toString(16)}::1`, 32],
    ['addresses of one /24', (at: number) => `203.0.113.${at}`, 32],
    ['mapped addresses of one IPv4 address', () => '::ffff:192.0.2.77', 2],
  ])('is as wide as %s', async (_, address, most) => {
    const codes: number[] = [];
    for (let at = 0; at < 40; at += 1) {
      const body = { message: `${at}` };
      codes.push((await from(address(at), '/api/feedback', { body })).status);
    }
    expect(codes.filter((status) => status === 200)).toHaveLength(most);
  });
});
