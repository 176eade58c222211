import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { type Endpoint, startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { startFetchServer } from '../support/endpoints/paid-endpoint.ts';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { onGitHub } from '../support/registry-entries.ts';

const day_s = 86_400;
const handle = 'com.example/dead';
const url = 'https://dead.example.com/mcp';
const gone = 'com.example/gone';
let directory: ClaimedDirectory;
let endpoint: Endpoint;
/** The days of the checks: one that the endpoint answered, then those that it did not. */
const days: string[] = [];

async function observe(of: string) {
  await directory.observe(of);
  return directory.context.clock().toISOString().slice(0, 10);
}

beforeAll(async () => {
  endpoint = await startModernServer(() => [{ name: 'send', description: 'Sends a message' }]);
  directory = await openClaimedDirectory({
    entries: [
      registryEntry(handle, { remotes: [{ type: 'streamable-http', url }] }),
      registryEntry(gone, onGitHub('example/gone')),
      registryEntry('com.example/template', {
        remotes: [{ type: 'streamable-http', url: 'https://{tenant}.example.com/mcp' }],
      }),
    ],
    environment: { HOST_OVERRIDES: JSON.stringify({ 'dead.example.com': endpoint.url }) },
  });
  days.push(await observe(handle));
  await endpoint.close();
});
afterAll(async () => {
  await directory.close();
});

/** Everything that is said of a listing, by adapter. */
async function said(of: string) {
  const client = await connect('v2', { app: directory.app });
  const short = await client.call('get_agent', { handle: of });
  const full = await client.call('get_agent', { handle: of, detail: 'full' });
  await client.close();
  const [page = '', markdown = ''] = await Promise.all(
    ['', '.md'].map(async (form) => (await directory.app.request(`/agents/${of}${form}`)).text()),
  );
  return {
    summary: String((short.structuredContent as { summary: string }).summary),
    short: short.structuredContent as Record<string, Record<string, unknown>[]>,
    text: (short.content[0]?.text ?? '').replaceAll(/[\\`]/g, ''),
    full: full.structuredContent as Record<string, Record<string, unknown>[]>,
    page,
    markdown: markdown.replaceAll(/[\\`]/g, ''),
  };
}

describe('what is known, what was not seen and what is not known', () => {
  it('an endpoint that missed one check keeps its facts, and every adapter says first since when', async () => {
    directory.wait(day_s);
    days.push(await observe(handle));
    const { summary, text, short, full, page, markdown } = await said(handle);
    const first = `${url} last answered on ${days[0]}; no check since ${days[1]} saw it answer.`;
    expect(summary.startsWith(first)).toBe(true);
    for (const one of [text, page, markdown]) expect(one).toContain(first);
    expect(short.facts).toContainEqual(
      expect.objectContaining({ question: 'tools', as_of: days[0], facts: expect.anything() }),
    );
    expect(full.observations).toContainEqual(
      expect.objectContaining({
        kind: 'tools.count',
        value: 1,
        observed_at: expect.stringContaining(days[0] ?? ''),
      }),
    );
    expect(page).toContain(`<b>Number of tools:</b> <span class="foreign">1 tools</span>`);
  });

  it('an endpoint that did not answer on two days is said first, and is no gap of what was never looked at', async () => {
    directory.wait(day_s);
    days.push(await observe(handle));
    const { summary, text, short, full, page, markdown } = await said(handle);
    const first = `No answer from ${url} on ${days[2]}, nor on ${days[1]}; it last answered on ${days[0]}.`;
    expect(summary.startsWith(first)).toBe(true);
    for (const one of [text, page, markdown]) {
      expect(one).toContain(first);
      expect(one).not.toContain('has made no observation');
      expect(one).not.toContain('Dossier has not checked whether the endpoint answers');
    }
    const reach = { state: 'unreachable', as_of: days[2] };
    expect(short.not_seen).toContainEqual(expect.objectContaining({ ...reach, kinds: ['endpoint.answers'] }));
    expect(full.not_seen).toContainEqual(
      expect.objectContaining({ ...reach, question: 'reach', kind: 'endpoint.answers', subject: url }),
    );
    for (const { not_known } of [short, full])
      expect(not_known).not.toContainEqual(expect.objectContaining({ question: 'reach' }));
    expect(page).toMatch(/<li class="gap absent">Endpoint: [^<]+ \(\d{4}-\d\d-\d\d\)<\/li>/);
    expect(markdown).toContain('* Looked for and not seen: Endpoint: ');
  });

  it('a stale fact is known with its value and date on every adapter, without names of states', async () => {
    directory.wait(10 * day_s);
    const { text, short, full, page, markdown } = await said(handle);
    const tools = short.facts?.find(({ question }) => question === 'tools');
    expect(tools).toMatchObject({ as_of: days[0], facts: { 'tools.count': expect.stringContaining('1 (') } });
    expect(full.observations).toContainEqual(
      expect.objectContaining({ kind: 'tools.count', state: 'stale', value: 1 }),
    );
    expect(page).toContain(
      '<b>Number of tools:</b> <span class="foreign">1 tools (not checked lately)</span>',
    );
    expect(text).toContain('not checked lately');
    for (const one of [text, page, markdown])
      expect(one).not.toMatch(/Last (?:observed|not_\w+|no_price_seen|auth_first|unreachable) on/);
  });

  it('a repository that is gone is said first, and does not meet has_repository', async () => {
    const date = await observe(gone);
    const { summary, page, markdown, full } = await said(gone);
    expect(summary.startsWith(`On ${date}: `)).toBe(true);
    const first = summary.slice(0, summary.indexOf('. ') + 1);
    for (const one of [page, markdown]) expect(one).toContain(first);
    expect(full.not_seen).toContainEqual(
      expect.objectContaining({ kind: 'repository.exists', state: 'not_found', as_of: date }),
    );
    const compared = await directory.post('/api/tools/compare_agents', {
      handles: [gone, handle],
      criteria: [{ criterion: 'has_repository' }],
    });
    expect(await compared.json()).toMatchObject({
      listings: [
        {
          imported: [
            {
              result: 'not_met',
              fact: 'A source repository is recorded; Dossier looked for it, and it is not there.',
              recorded: 'https://github.com/example/gone',
              as_of: date,
            },
          ],
        },
        {},
      ],
    });
  });

  it('an endpoint that was never there has not answered before, whatever a later check meets', async () => {
    const absent = 'com.example/absent';
    const server = await startFetchServer(() => new Response('', { status: 404 }));
    const service = await openClaimedDirectory({
      entries: [
        registryEntry(absent, {
          remotes: [{ type: 'streamable-http', url: 'https://absent.example.com/mcp' }],
        }),
      ],
      environment: { HOST_OVERRIDES: JSON.stringify({ 'absent.example.com': server.url }) },
    });
    const dates: string[] = [];
    for (const end of [() => server.close(), () => undefined]) {
      await service.observe(absent);
      dates.push(service.context.clock().toISOString().slice(0, 10));
      await end();
      service.wait(day_s);
    }
    const { summary } = (await (await service.app.request(`/agents/${absent}.json`)).json()) as {
      summary: string;
    };
    await service.close();
    expect(summary).toContain(
      `https://absent.example.com/mcp was not there on ${dates[0]}; no check since ${dates[1]} saw it answer.`,
    );
    expect(summary).not.toMatch(/last answered|Last seen on/);
  });

  it('a template of an address is recorded', async () => {
    const { summary } = await said('com.example/template');
    expect(summary).toContain('reached at an address of the form https://{tenant}.example.com/mcp');
    expect(summary).not.toContain('No endpoint or package is recorded');
  });
});
