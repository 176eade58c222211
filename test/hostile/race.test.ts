import { expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { partOf } from '../support/long.ts';
import { opened } from '../support/opened.ts';

const handle = 'co.webhook/webhook';
const posts = partOf(400, 1000);

interface Answer {
  readonly status: string;
  readonly capability?: string;
  readonly capability_id?: string;
  readonly file_contents?: string;
  readonly capabilities?: readonly { readonly id: string }[];
}

it(`${posts} POSTs of others beside an opt-out line that comes and goes yield no secret that works`, async () => {
  const service = await opened(openClaimedDirectory());
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
});
