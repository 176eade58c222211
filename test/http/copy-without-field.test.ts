import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTarget } from '../../src/actions/action.ts';
import { actions, applyAction, undoAction } from '../../src/actions/actions.ts';
import { runImport } from '../../src/imports/import.ts';
import { comparedOf } from '../support/compared.ts';
import { type Directory, documentOf, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { startRegistryServer } from '../support/registry-server.ts';

const handle = 'com.example/plain';
const other = 'com.example/package';
/** A copy whose records have no member `remotes` at all. */
const copy = [
  registryEntry(handle, { repository: { url: 'https://github.com/example/plain', source: 'github' } }),
  registryEntry(other, {
    packages: [{ registryType: 'npm', identifier: 'plain', version: '1.0.0', transport: { type: 'stdio' } }],
  }),
];
const sentence = 'This copy records no endpoints.';
const stdio = 'stdio';
const http = 'streamable-http';

let directory: Directory;
beforeAll(async () => {
  directory = await openDirectory({ entries: copy });
});
afterAll(() => directory.close());

const read = async (path: string) => (await directory.app.request(path)).text();
const prose = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

async function call<T>(name: string, input: Record<string, unknown>): Promise<{ text: string; json: T }> {
  const client = await connect('v2 at 2026-07-28', directory);
  const { content, structuredContent } = (await client.call(name, input)) as unknown as {
    content: { text: string }[];
    structuredContent: T;
  };
  await client.close();
  return { text: content.map(({ text }) => text).join('\n'), json: structuredContent };
}

async function judged(of: string, criteria: readonly string[]): Promise<string[]> {
  const { json } = await call('compare_agents', {
    handles: [of, of === handle ? other : handle],
    criteria,
  });
  const [first] = comparedOf(json);
  return [...(first?.imported ?? []), ...(first?.observed ?? [])].map(
    ({ result, fact }) => `${result}: ${fact}`,
  );
}

describe('a copy that records no endpoint of any listing', () => {
  it('is what get_agent speaks of, not the listing', async () => {
    const { text, json } = await call<{ lines: { where: string } }>('get_agent', { handle });
    expect(json.lines.where).toBe('This copy records no endpoints.');
    expect(text).toContain('* Where: This copy records no endpoints.');
    expect(text).not.toMatch(/no endpoint or package is recorded/i);
    const document = (await documentOf(directory, handle)) as {
      copy_lacks?: string[];
      not_known: { kind: string }[];
    };
    expect(document.copy_lacks).toEqual(['endpoint']);
    expect(document.not_known.find(({ kind }) => kind === 'endpoint.answers')).toEqual({
      question: 'reach',
      kind: 'endpoint.answers',
      state: 'not_checked',
      reason: sentence,
    });
  });

  it('is what the pages and the Markdown speak of', async () => {
    const page = prose(await read(`/agents/${handle}`));
    const markdown = await read(`/agents/${handle}.md`);
    expect(page).toContain(sentence.slice(0, -1));
    expect(page).not.toMatch(/Endpoint none recorded|The listing records no remote endpoint/);
    expect(markdown).toContain(`* Where: ${sentence}`);
    expect(prose(await read(`/agents/${handle}/tools`))).toContain(sentence);
    for (const text of [page, markdown])
      expect(text).not.toContain('The record that Dossier read has no field that states a remote endpoint.');
    const compared = await directory.app.request(`/compare?handle=${handle}&handle=${other}`);
    expect(prose(await read(compared.headers.get('location') ?? ''))).toContain(sentence);
  });

  it('leaves open what a listing asks for, and how many have a remote endpoint', async () => {
    const why = 'It is not known what the listing asks for, because this copy records no endpoints.';
    for (const path of [`/agents/${handle}`, `/agents/${other}`])
      expect(prose(await read(path))).toContain(`Asks ${why}`);
    expect(await read(`/agents/${handle}.md`)).toContain(`* Asks: ${why}`);
    const { text } = await call('get_agent', { handle });
    expect(text).toContain('* Not checked: tools, credentials, last commit');
    for (const page of [prose(await read(`/agents/${handle}`)), text])
      expect(page).not.toMatch(/no credentials recorded/i);
    const home = prose(await read('/'));
    expect(home).toMatch(/2 +listings/);
    expect(home).not.toContain('with a remote endpoint');
  });

  it('is why check_surface has seen no list of tools', async () => {
    const { json } = await call<{ message: string }>('check_surface', { handle, digests: {} });
    expect(json.message).toBe(`Dossier has seen no list of tools of this service. ${sentence}`);
  });

  it('leaves every criterion about endpoints unknown', async () => {
    const endpoints = ['has_endpoint', 'endpoint_observed_alive', 'no_payment_seen', 'price_known'];
    for (const of of [handle, other])
      expect(await judged(of, [...endpoints, 'price_at_most:0.01 USDC', 'tools_unchanged_for:1'])).toEqual(
        Array.from({ length: 6 }, () => `unknown: ${sentence}`),
      );
    expect(await judged(handle, ['transport:streamable-http'])).toEqual([`unknown: ${sentence}`]);
    expect(await judged(handle, ['nothing_shared'])).toEqual([`unknown: ${sentence}`]);
    expect(await judged(handle, ['endpoint_at_domain'])).toEqual([`unknown: ${sentence}`]);
    expect(await judged(other, [`transport:${http}`, `transport:${stdio}`])).toEqual([
      `unknown: ${sentence}`,
      'met: stdio is among the recorded transports.',
    ]);
  });

  it('is why a search for endpoints finds nothing', async () => {
    const { text, json } = await call<{ no_match: { copy_lacks?: string } }>('search_agents', {
      has_endpoint: true,
    });
    expect(json.no_match.copy_lacks).toBe(sentence);
    expect(text).toContain(sentence);
    expect(prose(await read('/agents?has_endpoint=true'))).toContain(sentence);
    for (const filter of [
      { transport: http },
      { needs_secret: false, query: 'nothing' },
      { answered: true },
      { no_payment_seen: true },
    ])
      expect((await call<{ no_match: object }>('search_agents', filter)).json.no_match).toMatchObject({
        copy_lacks: sentence,
      });
    const named = await call<{ no_match: { copy_lacks?: string } }>('search_agents', { tags: ['nothing'] });
    expect(named.json.no_match.copy_lacks).toBeUndefined();
  });

  it('is no longer one once it records the endpoint of another listing', async () => {
    const remotes = [{ type: 'streamable-http', url: 'https://other.example/mcp' }];
    await directory.importEntries([...copy, registryEntry('com.other/remote', { remotes })]);
    const { json } = await call<{ lines: { where: string } }>('get_agent', { handle });
    expect((await documentOf(directory, handle)).copy_lacks).toBeUndefined();
    expect(json.lines.where).toBe('No endpoint or package is recorded.');
    expect(await judged(handle, ['has_endpoint'])).toEqual(['not_met: No remote endpoint is recorded.']);
    expect(prose(await read(`/agents/${handle}`))).toContain('The listing records no remote endpoint.');
    expect(prose(await read(`/agents/${handle}`))).toContain('Asks No credentials recorded.');
    expect(prose(await read('/'))).toMatch(/1 +with a remote endpoint/);
  });
});

describe('a copy whose only listing with an endpoint, a package and a repository is withdrawn by the operator', () => {
  const whole = 'com.other/whole';
  const plain = 'com.other/plain';
  const only = [
    registryEntry(plain),
    registryEntry('com.other/bare'),
    registryEntry(whole, {
      remotes: [{ type: 'streamable-http', url: 'https://other.example/mcp' }],
      packages: [{ registryType: 'npm', identifier: 'w', version: '1.0.0', transport: { type: 'stdio' } }],
      repository: { url: 'https://github.com/other/whole', source: 'github' },
    }),
  ];
  let moderated: Directory;
  beforeAll(async () => {
    moderated = await openDirectory({ entries: only });
  });
  afterAll(() => moderated.close());

  const withdraw = actions.find(({ name }) => name === 'withdraw');
  const target = readTarget(whole);
  if (!withdraw || !target) throw new Error('no withdrawal of a listing');
  const at = () => moderated.context.clock().toISOString();
  const answerOf = async (tool: string, input: object) =>
    (
      await moderated.app.request(`/api/tools/${tool}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      })
    ).text();

  it('still records them, in every answer about other listings, then and after the listing is shown again', async () => {
    // How many listings the publisher has is another fact.
    const counts = (text: string) =>
      text.replaceAll(/\b[23](?= listings of this publisher)|(?<=same namespace: )[23]/g, 'n');
    const get = () => answerOf('get_agent', { handle: plain, detail: 'full' });
    const before = await get();
    expect(before).not.toContain('This copy records no');
    await moderated.store.write((tx) => applyAction(tx, withdraw, { target, reason: 'unlawful', at: at() }));
    expect(counts(await get())).toBe(counts(before));
    expect(
      await answerOf('compare_agents', { handles: [plain, 'com.other/bare'], criteria: ['has_endpoint'] }),
    ).not.toContain('This copy records no');
    for (const search of [{ has_endpoint: true }, { package: 'npm' }]) {
      const found = await answerOf('search_agents', search);
      expect(found).toContain('no_match');
      expect(found).not.toContain('copy_lacks');
    }
    const [standing] = await moderated.store.moderation.active(target);
    if (!standing) throw new Error('nothing stands');
    await moderated.store.write((tx) =>
      undoAction(tx, withdraw, { active: standing, reason: 'appeal', at: at() }),
    );
    expect(counts(await get())).toBe(counts(before));
  });
});

describe('a registry that sends its first endpoint among changes', () => {
  it('is no longer one without endpoints, also for what it sent before; a copy from elsewhere still is', async () => {
    const saved = await openDirectory({ entries: [registryEntry('com.saved/plain')] });
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
    await saved.close();
  });
});

describe('a copy without packages or repositories', () => {
  it('leaves the criteria about them unknown', async () => {
    const remotes = [{ type: 'streamable-http', url: 'https://other.example/mcp' }];
    const bare = await openDirectory({ entries: [registryEntry('com.other/remote', { remotes })] });
    const client = await connect('v2 at 2026-07-28', bare);
    const { structuredContent } = await client.call('compare_agents', {
      handles: ['com.other/remote', 'com.other/remote2'],
      criteria: ['has_repository', 'package:npm', 'package_not_deprecated'],
    });
    await client.close();
    const [first] = comparedOf(structuredContent);
    expect(
      [...(first?.imported ?? []), ...(first?.observed ?? [])].map(
        ({ result, fact }) => `${result}: ${fact}`,
      ),
    ).toEqual([
      'unknown: This copy records no repositories.',
      'unknown: This copy records no packages.',
      'unknown: This copy records no packages.',
    ]);
    const page = prose(await (await bare.app.request('/agents/com.other/remote')).text());
    expect(page).toContain('his copy records no repositories');
    await bare.close();
  });
});
