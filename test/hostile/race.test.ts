import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { partOf } from '../support/long.ts';
import { legacy, modern } from '../support/mcp-requests.ts';

const handle = 'co.webhook/webhook';
const posts = partOf(400, 1000);
let directory: ClaimedDirectory;
beforeAll(async () => {
  directory = await openClaimedDirectory();
});
afterAll(() => directory.close());

interface Answer {
  readonly status: string;
  readonly capability?: string;
  readonly capability_id?: string;
  readonly file_contents?: string;
  readonly capabilities?: readonly { readonly id: string }[];
}
const ask = async (): Promise<Answer> =>
  (await (await directory.post('/api/claim-github', { handle })).json()) as Answer;
const askOverMcp = async (message: typeof legacy | typeof modern): Promise<Answer> => {
  const { headers, body } = message('tools/call', { name: 'claim_agent', arguments: { handle } });
  const answer = await directory.app.request('/api/mcp', { method: 'POST', headers, body });
  return ((await answer.json()) as { result: { structuredContent: Answer } }).result.structuredContent;
};

describe(`${posts} identical POSTs of others while the owner commits`, () => {
  it('yield no secret that works but the owner’s', async () => {
    const repository = directory.git.createRepository('webhook-co/webhook');
    repository.commit({ 'README.md': 'webhook' });
    const strangers: Answer[] = [];
    const crowd = async () => {
      const asked = Array.from({ length: posts / 4 }, (_, count) =>
        count % 10 === 8 ? askOverMcp(legacy) : count % 10 === 9 ? askOverMcp(modern) : ask(),
      );
      strangers.push(...(await Promise.all(asked)));
    };
    await crowd();
    const owner = await ask();
    await crowd();
    directory.wait(31);
    const during = crowd();
    repository.commit({ 'dossier-claim.txt': owner.file_contents ?? '' });
    await during;
    directory.wait(31);
    await crowd();
    directory.wait(31);

    const answer = await ask();
    expect(answer).toMatchObject({ status: 'claimed', capabilities: [{ id: owner.capability_id }] });
    expect(strangers).toHaveLength(posts);
    expect(strangers.some(({ status }) => status === 'claimed')).toBe(true);
    for (const { status, capability, file_contents } of strangers)
      if (status === 'claimed') expect([capability, file_contents]).toEqual([undefined, undefined]);

    const secrets = strangers.flatMap(({ capability }) => capability ?? []);
    expect(new Set([...secrets, owner.capability]).size).toBe(secrets.length + 1);
    expect(secrets.length).toBeGreaterThanOrEqual(posts / 2);
    const works = async (secret: string | undefined) => {
      const headers = { authorization: `Bearer ${secret}` };
      return (await directory.app.request('/api/capability', { headers })).status;
    };
    const statuses = await Promise.all(secrets.map(works));
    expect(statuses.every((status) => status === 401)).toBe(true);
    expect(await works(owner.capability)).toBe(200);

    expect(await directory.store.claims.history(handle)).toHaveLength(1);
    expect(await directory.store.log.size()).toBe(1);
  });
});

describe(`${posts} POSTs of others while an opt-out line comes and goes beside the owner’s line`, () => {
  it('yield no secret that works but the owner’s, and each withdrawal is followed by a restoration', async () => {
    const service = await openClaimedDirectory();
    const post = async (as?: string): Promise<Answer> =>
      (await (await service.post('/api/claim-github', { handle }, as)).json()) as Answer;
    const repository = service.git.createRepository('webhook-co/webhook');
    repository.commit({ 'README.md': 'webhook' });
    const owner = await post();
    const strangers = [await post()];
    service.wait(31);
    const lines = [owner.file_contents, `${owner.file_contents}\noptout ${handle}\n`];
    for (let round = 0; round < 10; round++) {
      const crowd = Promise.all(Array.from({ length: posts / 10 }, () => post()));
      repository.commit({ 'dossier-claim.txt': lines[round % 2] ?? '' });
      if (round % 2 === 1) await post(owner.capability);
      strangers.push(...(await crowd));
      service.wait(31);
    }
    repository.commit({ 'dossier-claim.txt': owner.file_contents ?? '' });
    for (let look = 0; look < 2; look++) {
      service.wait(31);
      strangers.push(await post());
    }
    const works = async (secret: string) => {
      const headers = { authorization: `Bearer ${secret}` };
      return (await service.app.request('/api/capability', { headers })).status === 200;
    };
    const secrets = strangers.flatMap(({ capability }) => capability ?? []);
    const working = await Promise.all(secrets.map(works));
    expect([strangers.length, working.filter(Boolean).length]).toEqual([posts + 3, 0]);
    expect(secrets.length).toBeGreaterThan(0);
    const types = (await service.store.claims.history(handle)).map(({ type }) => type);
    expect([types[0], types.filter((type) => type === 'activated').length]).toEqual(['activated', 1]);
    const ofListing = types.filter((type) => type.startsWith('listing_'));
    expect(ofListing.length).toBeGreaterThan(0);
    expect(ofListing).toEqual(
      ofListing.map((_, at) => (at % 2 === 0 ? 'listing_withdrawn' : 'listing_restored')),
    );
    expect([types.at(-1), ofListing.at(-1)]).toEqual(['restored', 'listing_restored']);
    expect(await works(owner.capability ?? '')).toBe(true);
    await service.close();
  });
});
