import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { legacy, modern } from '../support/mcp-requests.ts';

const handle = 'co.webhook/webhook';
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

describe('1,000 identical POSTs of others while the owner commits', () => {
  it('yield no secret that works but the owner’s', { timeout: 60_000 }, async () => {
    const repository = directory.git.createRepository('webhook-co/webhook');
    repository.commit({ 'README.md': 'webhook' });
    const strangers: Answer[] = [];
    const crowd = async (posts: number) => {
      const asked = Array.from({ length: posts }, (_, count) =>
        count % 10 === 8 ? askOverMcp(legacy) : count % 10 === 9 ? askOverMcp(modern) : ask(),
      );
      strangers.push(...(await Promise.all(asked)));
    };
    await crowd(250);
    const owner = await ask();
    await crowd(250);
    directory.wait(31);
    const during = crowd(250);
    repository.commit({ 'dossier-claim.txt': owner.file_contents ?? '' });
    await during;
    directory.wait(31);
    await crowd(250);
    directory.wait(31);

    const answer = await ask();
    expect(answer).toMatchObject({ status: 'claimed', capabilities: [{ id: owner.capability_id }] });
    expect(strangers).toHaveLength(1000);
    expect(strangers.some(({ status }) => status === 'claimed')).toBe(true);
    for (const { status, capability, file_contents } of strangers)
      if (status === 'claimed') expect([capability, file_contents]).toEqual([undefined, undefined]);

    const secrets = strangers.flatMap(({ capability }) => capability ?? []);
    expect(new Set([...secrets, owner.capability]).size).toBe(secrets.length + 1);
    expect(secrets.length).toBeGreaterThanOrEqual(500);
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
