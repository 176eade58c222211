import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { startOsvApi } from '../support/endpoints/osv-api.ts';
import { packaged, registryEntry, remotesAt } from '../support/entries.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const osv = await opened(startOsvApi(() => []));
const entries = [
  packaged('com.example/one', 'npm', 'swapped', '2.3.1'),
  registryEntry('com.example/two', remotesAt('https://two.example.com/mcp')),
];
const looking = await openedDirectory({ entries, environment: { ADVISORIES: osv.url, LIMITS: 'off' } });
const withoutSource = await openedDirectory({ entries, environment: { ADVISORIES: 'off', LIMITS: 'off' } });

interface Answer {
  readonly detail?: string;
  readonly advice?: string;
  readonly results?: readonly { readonly reason?: string }[];
  readonly no_match?: { readonly copy_lacks?: string };
}
type Asked = Pick<typeof looking, 'app' | 'post'>;
const call = (at: Asked, tool: string, input: object) => callTool<Answer>(at, tool, input);
const readPage = async ({ app }: Asked, path: string) =>
  (await (await app.request(path)).text())
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', '’')
    .replace(/\s+/g, ' ');

async function everywhere(at: Asked, name: string) {
  const { detail } = await call(at, 'get_agent', { handle: name });
  const { advice } = await call(at, 'search_agents', { query: name });
  const { results } = await call(at, 'resolve_agents', { handles: [name] });
  return [detail, advice, results?.[0]?.reason, await readPage(at, `/agents?q=${name}`)];
}
async function saysEverywhere(at: Asked, name: string, said: string, not: RegExp) {
  for (const text of await everywhere(at, name)) {
    expect(text?.replaceAll('`', '')).toContain(said);
    expect(text).not.toMatch(not);
  }
}

const cve = 'CVE-2025-53967';
const payee = `0x${'9'.repeat(40)}`;
const ask = 'https://osv.dev/vulnerability/CVE-2025-53967';
const today = () => looking.context.clock().toISOString().slice(0, 10);

it('who has checked no listing says of an advisory, a payee and a tool that it has not looked', async () => {
  await saysEverywhere(
    looking,
    cve,
    `Dossier has checked no listing, so it does not know which packages this advisory is about; ask ${ask}.`,
    /has read|It reads/,
  );
  const unpaid =
    'Dossier has checked no listing, so it does not know whose endpoint asks to be paid at this address.';
  await saysEverywhere(looking, payee, unpaid, /shows no listing/);
  expect(await readPage(looking, `/payees/${payee}`)).toContain(unpaid);
  await saysEverywhere(
    looking,
    'create_jira_issue',
    'Dossier has checked no listing, so it does not know whose list has the tool create_jira_issue.',
    /0 listings/,
  );
  const filtered = await call(looking, 'search_agents', { answered: true });
  expect(filtered.no_match).toMatchObject({ copy_lacks: 'Dossier has checked no listing.' });
  expect(await readPage(looking, '/agents?answered=true')).toContain('Dossier has checked no listing. No');
});

it('who has checked some says how many, and on which day', async () => {
  await looking.observe('com.example/one');
  await saysEverywhere(
    looking,
    cve,
    `Dossier has read this advisory about no package that a listing records. It has checked 1 listing, the last on ${today()}; it reads what OSV has about recorded packages, not about what they depend on. Ask also ${ask}.`,
    /checked no listing/,
  );
  const unpaid = `Dossier shows no listing whose endpoint asked to be paid at this address. It has checked 1 listing, the last on ${today()}; it pays nothing and calls no tool, so it does not see an address that only a paid call names.`;
  await saysEverywhere(looking, payee, unpaid, /checked no listing/);
  expect(await readPage(looking, `/payees/${payee}`)).toContain(unpaid);
  const filtered = await call(looking, 'search_agents', { answered: true });
  expect(filtered.no_match).not.toHaveProperty('copy_lacks');
});

it('who reads no advisories says so, although it has checked listings', async () => {
  await withoutSource.observe('com.example/one');
  await saysEverywhere(
    withoutSource,
    cve,
    `Dossier reads no advisories, so it does not know which packages this advisory is about; ask ${ask}.`,
    /has read|OSV has/,
  );
});

it('of a package that nobody records, it says that nobody is asked, whatever is configured', async () => {
  for (const at of [looking, withoutSource])
    await saysEverywhere(
      at,
      'npm:no-such-package',
      'Dossier asks nobody about a package that no listing records; ask npm and OSV: https://www.npmjs.com/package/no-such-package, ',
      /asks npm/,
    );
});

it('no page says that listings are checked, where none is', async () => {
  for (const path of ['/about', '/llms.txt']) {
    const text = await readPage(withoutSource, path);
    expect(text).toContain('If this service checks listings, reading one may start a check of it');
    expect(text).not.toMatch(/adds its own checks|The observer asks/);
  }
});
