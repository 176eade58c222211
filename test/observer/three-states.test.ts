import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { comparedOf } from '../support/compared.ts';
import { documentOf } from '../support/directory.ts';
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

const unmarked = (text: string) => text.replaceAll(/[\\`]/g, '');
const prose = (page: string) => page.replaceAll(/<[^>]+>/g, '').replaceAll('&#39;', "'");

/** Everything that is said of a listing, by adapter. */
async function said(of: string) {
  const client = await connect('v2', { app: directory.app });
  const { content, structuredContent } = await client.call('get_agent', { handle: of });
  await client.close();
  const [page = '', markdown = ''] = await Promise.all(
    ['', '.md'].map(async (form) => (await directory.app.request(`/agents/${of}${form}`)).text()),
  );
  const json = structuredContent as { stands_out?: string[]; lines: Record<string, string> };
  return {
    first: unmarked(json.stands_out?.[0] ?? ''),
    lines: Object.fromEntries(Object.entries(json.lines).map(([name, text]) => [name, unmarked(text)])),
    text: unmarked(content[0]?.text ?? ''),
    full: (await documentOf(directory, of)) as Record<string, Record<string, unknown>[]>,
    page: prose(page),
    markdown: unmarked(markdown),
  };
}

describe('what is known, what was not seen and what is not known', () => {
  it('an endpoint that missed one check keeps its facts, and every adapter says first since when', async () => {
    directory.wait(day_s);
    days.push(await observe(handle));
    const { first, lines, text, full, page, markdown } = await said(handle);
    expect(first).toMatch(
      new RegExp(
        `^No check since ${days[1]} saw the endpoint answer \\(the last check: [^)]+ (?:HTTP \\d+|a .+)\\); it last answered on ${days[0]}\\. Dossier asks from`,
      ),
    );
    for (const one of [text, page, markdown]) expect(one).toContain(first);
    expect(lines.tools).toMatch(
      new RegExp(`^send, not seen by checks since ${days[1]} \\(Dossier(, ${days[0]})?\\)\\.$`),
    );
    expect(full.observations).toContainEqual(
      expect.objectContaining({
        kind: 'tools.count',
        value: 1,
        observed_at: expect.stringContaining(days[0] ?? ''),
      }),
    );
    expect(page).toContain(`Number of tools: 1 at ${url} (Dossier, ${days[0]})`);
  });

  it('an endpoint that did not answer on two days is said first, and is no gap of what was never looked at', async () => {
    directory.wait(day_s);
    days.push(await observe(handle));
    const { first, lines, text, full, page, markdown } = await said(handle);
    expect(first).toMatch(
      `No usable answer from the endpoint on ${days[2]}, nor on ${days[1]}; it last answered on ${days[0]}; 1 of 3 checks in 30 days were answered.`,
    );
    expect(lines.where).toBe(
      'A request to dead.example.com ended with no connection to a public address of the host.',
    );
    for (const one of [text, page, markdown]) {
      expect(one).toContain(first);
      expect(one).not.toContain('not checked.');
      expect(one).not.toContain('Dossier has not checked whether the endpoint answers');
    }
    expect(full.not_seen).toContainEqual(
      expect.objectContaining({
        question: 'reach',
        kind: 'endpoint.answers',
        subject: url,
        outcome: 'silent',
        by: 'Dossier',
        as_of: days[2],
      }),
    );
    expect(full.not_known).not.toContainEqual(expect.objectContaining({ question: 'reach' }));
    // What was so on the first day stands before what is so of the checks since.
    for (const one of [page, markdown])
      expect(one).toContain(
        `on ${days[0]}: looked for, none stated. The endpoint names no payment methods among its capabilities (experimental.payment). Checks since ${days[1]} did not see whether that is still so. A request to dead.example.com ended with`,
      );
    for (const one of [page, markdown])
      expect(one).toMatch(new RegExp(`[Ee]ndpoint[^\\n]*: [^\\n]+ \\(Dossier, ${days[2]}\\)`));
    expect(markdown).toMatch(/\* Looked for and not seen: Endpoint.*: /);
  });

  it('a stale fact is known with its value and date on every adapter, without names of states', async () => {
    directory.wait(10 * day_s);
    const { lines, text, full, page, markdown } = await said(handle);
    expect(lines.tools).toMatch(
      new RegExp(`^send, not seen by checks since ${days[1]} \\(Dossier(, ${days[0]})?\\)\\.$`),
    );
    expect(full.observations).toContainEqual(
      expect.objectContaining({ kind: 'tools.count', is_stale: true, value: 1 }),
    );
    expect(page).toMatch(/Number of tools: 1\b.+? Last seen on /);
    for (const one of [text, page, markdown])
      expect(one).not.toMatch(/Last (?:observed|not_\w+|no_price_seen|auth_first|unreachable) on/);
  });

  it('a repository that is gone is said first, and does not meet has_repository', async () => {
    const date = await observe(gone);
    const { first, page, markdown, full } = await said(gone);
    expect(first).toBe('github.com shows no public repository at example/gone.');
    for (const one of [page, markdown])
      expect(one).toContain(`github.com shows no public repository at example/gone (Dossier, ${date}).`);
    expect(full.not_seen).toContainEqual(
      expect.objectContaining({ kind: 'repository.exists', outcome: 'absent', as_of: date }),
    );
    const compared = await directory.post('/api/tools/compare_agents', {
      handles: [gone, handle],
      criteria: [{ criterion: 'has_repository' }],
    });
    expect(comparedOf(await compared.json())[0]?.observed).toMatchObject([
      {
        result: 'not_met',
        fact: 'A source repository is recorded; Dossier looked for it, and it is not there.',
        recorded: 'https://github.com/example/gone',
        as_of: date,
      },
    ]);
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
    const answer = await service.post('/api/tools/get_agent', { handle: absent });
    const { stands_out } = (await answer.json()) as { stands_out: string[] };
    const first = unmarked(stands_out[0] ?? '');
    await service.close();
    expect(first).toContain(
      `Nothing was at the endpoint on ${dates[0]}; no check since ${dates[1]} saw it answer`,
    );
    expect(first).not.toMatch(/last answered|Last seen on/);
  });

  it('a template of an address is recorded', async () => {
    const { lines } = await said('com.example/template');
    expect(lines.where).toBe('https://{tenant}.example.com/mcp, not checked.');
  });
});
