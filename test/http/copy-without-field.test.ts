import { describe, expect, it } from 'vitest';
import { runImport } from '../../src/imports/import.ts';
import { comparedOf } from '../support/compared.ts';
import { callTool, documentOf } from '../support/directory.ts';
import { packageAt, registryEntry, remotesAt } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';
import { startRegistryServer } from '../support/registry-server.ts';

const handle = 'com.example/plain';
const other = 'com.example/package';
/** A copy whose records have no member `remotes` at all. */
const copy = [
  registryEntry(handle, onGitHub('example/plain')),
  registryEntry(other, packageAt('npm', 'plain')),
];
const sentence = 'This copy records no endpoints.';

const directory = await openedDirectory({ entries: copy });

const read = async (path: string) => (await directory.app.request(path)).text();
const prose = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

const judge = async (of: string, criteria: readonly string[]) => {
  const handles = [of, of === handle ? other : handle];
  const [first] = comparedOf(await callTool(directory, 'compare_agents', { handles, criteria }));
  return Object.values(first?.results ?? {});
};
const whereOf = async () => {
  const { lines } = await callTool<{ lines: { where: string } }>(directory, 'get_agent', { handle });
  return lines.where;
};

describe('a copy that records no endpoint of any listing', () => {
  it('is what every adapter speaks of, and what a listing asks for is left open', async () => {
    const why = 'It is not known what the listing asks for, because this copy records no endpoints.';
    const compared = await directory.app.request(`/compare?handle=${handle}&handle=${other}`);
    const markdown = await read(`/agents/${handle}.md`);
    const page = prose(await read(`/agents/${handle}`));
    for (const text of [
      JSON.stringify(await callTool(directory, 'get_agent', { handle })),
      JSON.stringify(await callTool(directory, 'check_surface', { handle, digests: {} })),
      page,
      markdown,
      prose(await read(`/agents/${handle}/tools`)),
      prose(await read(compared.headers.get('location') ?? '')),
      prose(await read('/agents?has_endpoint=true')),
    ]) {
      expect(text).toContain(sentence.slice(0, -1));
      expect(text).not.toMatch(
        /no endpoint or package is recorded|Endpoint none recorded|records no remote endpoint|no credentials recorded|states a remote endpoint/i,
      );
    }
    expect(markdown).toContain(`* Asks: ${why}`);
    // Its namespace is a domain, which holds no repository.
    expect(markdown).not.toContain('not checked by Dossier');
    for (const one of [page, prose(await read(`/agents/${other}`))]) expect(one).toContain(`Asks ${why}`);
    expect(prose(await read('/'))).not.toContain('with a remote endpoint');
    const { copy_lacks, not_known } = (await documentOf(directory, handle)) as {
      copy_lacks?: string[];
      not_known: object[];
    };
    expect(copy_lacks).toEqual(['endpoint']);
    const reach = { question: 'reach', kind: 'endpoint.answers', state: 'not_checked', reason: sentence };
    expect(not_known).toContainEqual(reach);
  });

  it('leaves every criterion about endpoints unknown', async () => {
    const endpoints = ['has_endpoint', 'endpoint_observed_alive', 'no_payment_seen', 'price_known'];
    const more = ['price_at_most:0.01 USDC', 'tools_unchanged_for:1'];
    for (const of of [handle, other])
      expect(await judge(of, [...endpoints, ...more])).toEqual(Array.from({ length: 6 }, () => 'unknown'));
    for (const one of ['transport:streamable-http', 'nothing_shared', 'endpoint_at_domain'])
      expect(await judge(handle, [one])).toEqual(['unknown']);
    expect(await judge(other, ['transport:stdio'])).toEqual(['met']);
  });

  it('is no reason for a domain in whose namespace no listing is, which is known', async () => {
    const none = `No listing is in a namespace of this domain or account. ${sentence}`;
    const asked = { handle: 'example.org' };
    expect(await callTool(directory, 'get_agent', asked)).toMatchObject({
      detail: expect.stringContaining(none),
    });
    const { results } = await callTool<{ results: object[] }>(directory, 'resolve_agents', {
      handles: ['example.org'],
    });
    expect(results).toEqual([{ asked: 'example.org', outcome: 'not_listed', reason: none }]);
  });

  it('is why an offer of an endpoint is compared with none', async () => {
    const offer = [{ payTo: `0x${'1'.repeat(40)}`, maxAmountRequired: '1' }];
    const url = 'https://pay.example.com/mcp';
    expect(JSON.stringify(await callTool(directory, 'check_offer', { url, offer }))).toContain(sentence);
  });

  it('is why a search for endpoints finds nothing', async () => {
    const lackOf = async (filter: object) => {
      const found = await callTool<{ no_match: { copy_lacks?: string } }>(directory, 'search_agents', filter);
      return found.no_match.copy_lacks;
    };
    for (const filter of [
      { has_endpoint: true },
      { transport: 'streamable-http' },
      { needs_secret: false, query: 'nothing' },
      { answered: true },
      { no_payment_seen: true },
    ])
      expect(await lackOf(filter)).toBe(sentence);
    expect(await lackOf({ tags: ['nothing'] })).toBeUndefined();
    const client = await opened(connect('v2', directory));
    const { content } = await client.call('search_agents', { has_endpoint: true });
    expect(content[0]?.text).toMatch(`${sentence}\n\nMatching listings: 0.`);
  });

  it('is no longer one once it records the endpoint of another listing', async () => {
    const remotes = [{ type: 'streamable-http', url: 'https://other.example/mcp' }];
    await directory.importEntries([...copy, registryEntry('com.other/remote', { remotes })]);
    expect((await documentOf(directory, handle)).copy_lacks).toBeUndefined();
    expect(await whereOf()).toBe('No endpoint or package is recorded.');
    expect(await judge(handle, ['has_endpoint'])).toEqual(['not_met']);
    const page = prose(await read(`/agents/${handle}`));
    expect(page).toContain('The listing records no remote endpoint.');
    expect(page).toContain('Asks No credentials recorded.');
    expect(prose(await read('/'))).toMatch(/1 +with a remote endpoint/);
  });
});

describe('a copy whose only listing with an endpoint, a package and a repository is withdrawn by the operator', async () => {
  const whole = 'com.other/whole';
  const plain = 'com.other/plain';
  const only = [
    registryEntry(plain),
    registryEntry('com.other/bare'),
    registryEntry(whole, {
      ...remotesAt('https://other.example/mcp'),
      ...packageAt('npm', 'w'),
      ...onGitHub('other/whole'),
    }),
  ];
  const moderated = await openedDirectory({ entries: only });

  const answerOf = async (tool: string, input: object) =>
    JSON.stringify(await callTool(moderated, tool, input));

  it('still records them, in every answer about other listings, then and after the listing is shown again', async () => {
    // How many listings the publisher has is another fact.
    const counts = (text: string) =>
      text.replaceAll(/\b[23](?= listings of this publisher)|(?<=same namespace: )[23]/g, 'n');
    const get = () => answerOf('get_agent', { handle: plain, detail: 'full' });
    const before = await get();
    expect(before).not.toContain('This copy records no');
    await moderated.act('withdraw', whole, 'unlawful');
    expect(counts(await get())).toBe(counts(before));
    expect(
      await answerOf('compare_agents', { handles: [plain, 'com.other/bare'], criteria: ['has_endpoint'] }),
    ).not.toContain('This copy records no');
    for (const search of [{ has_endpoint: true }, { package: 'npm' }]) {
      const found = await answerOf('search_agents', search);
      expect(found).toContain('no_match');
      expect(found).not.toContain('copy_lacks');
    }
    await moderated.restore(whole);
    expect(counts(await get())).toBe(counts(before));
  });
});

it('a registry that sends its first endpoint among changes is no longer one without endpoints, also for what it sent before; a copy from elsewhere still is', async () => {
  const saved = await openedDirectory({ entries: [registryEntry('com.saved/plain')] });
  const registry = await startRegistryServer([registryEntry('com.first/plain')]);
  const lackingOf = async (of: string) => {
    const answer = await saved.app.request(`/agents/${of}.json`);
    return ((await answer.json()) as { copy_lacks?: string[] }).copy_lacks;
  };
  const all = ['endpoint', 'package', 'repository'];
  await runImport(saved.context, { source: registry.url });
  expect(await lackingOf('com.first/plain')).toEqual(all);
  const remotes = [{ type: 'streamable-http', url: 'https://first.example/mcp' }];
  const later = { updatedAt: '2026-10-03T08:00:00Z' };
  registry.serve([registryEntry('com.first/plain'), registryEntry('com.first/remote', { remotes }, later)]);
  for (const kind of ['incremental', 'incremental']) {
    expect(await runImport(saved.context, { source: registry.url })).toMatchObject({ kind, state: 'done' });
    expect(await lackingOf('com.first/plain')).toEqual(['package', 'repository']);
    expect(await lackingOf('com.saved/plain')).toEqual(all);
  }
  await registry.stop();
});

it('a copy without packages or repositories leaves the criteria about them unknown', async () => {
  const remotes = [{ type: 'streamable-http', url: 'https://other.example/mcp' }];
  const bare = await openedDirectory({ entries: [registryEntry('com.other/remote', { remotes })] });
  const handles = ['com.other/remote', 'com.other/remote2'];
  const criteria = ['has_repository', 'package:npm', 'package_not_deprecated'];
  const [first] = comparedOf(await callTool(bare, 'compare_agents', { handles, criteria }));
  expect(first).toMatchObject({
    results: { has_repository: 'unknown', 'package:npm': 'unknown', package_not_deprecated: 'unknown' },
    lines: { whose: expect.stringContaining('his copy records no repositories') },
  });
  const page = prose(await (await bare.app.request('/agents/com.other/remote')).text());
  expect(page).toContain('his copy records no repositories');
});

it('a copy without a field is why the facts from that field are not known, and never that they are not stated', async () => {
  const bare = await openedDirectory({ entries: [registryEntry('com.other/bare')] });
  const full = await callTool(bare, 'get_agent', { handle: 'com.other/bare', detail: 'full' });
  const page = prose(await (await bare.app.request('/agents/com.other/bare')).text());
  for (const text of [JSON.stringify(full), page]) {
    expect(text).not.toMatch(/(?:Packages|How it is reached|Repository)[^.]{0,60}: +not stated/);
    for (const field of ['endpoints', 'packages', 'repositories'])
      expect(text).toMatch(new RegExp(`This copy records (?:no endpoints and )?no ${field}\\b`));
  }
});

it('of a filter that needs two fields which the copy lacks, both are named', async () => {
  const bare = await openedDirectory({ entries: copy.slice(0, 1) });
  expect(await callTool(bare, 'search_agents', { needs_secret: false })).toMatchObject({
    no_match: { copy_lacks: 'This copy records no endpoints and no packages.' },
  });
});
