import { describe, expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const entries = [
  registryEntry('io.github.fan/notion-notion', { title: 'Notion', description: 'Notion pages for Notion' }),
  registryEntry('io.github.fan/notion', { title: 'Notion', description: 'Notion' }),
  registryEntry('com.notion/pages', { description: 'Reads and writes documents' }),
  registryEntry('com.notion.api/other', { description: 'Documents again' }),
  registryEntry('io.github.getsentry/errors', { description: 'Finds errors' }),
  registryEntry('io.github.fan/getsentry', { title: 'getsentry', description: 'Reads getsentry' }),
  registryEntry('co.hugging-face/hub', { description: 'Models' }),
  registryEntry('com.bexley-bank/accounts', { description: 'The official MCP server of Bexley Bank' }),
  registryEntry('com.bexleybank/accounts', { description: 'Accounts and payments' }),
  registryEntry('com.kestrelqueue/queue', { description: 'Jobs in queues' }),
  registryEntry('org.other/helper', { description: 'An MCP server as a service' }),
];
const directory = await openedDirectory({ entries, environment: { LIMITS: 'off' } });

async function search(input: object) {
  const { listings } = await callTool<{ listings: { handle: string }[] }>(directory, 'search_agents', input);
  return listings.map(({ handle }) => handle);
}

const notion = ['com.notion/pages', 'com.notion.api/other'];

describe('a query that is the name of a publisher finds its listings first', () => {
  it.each([
    ['the name of a domain', 'notion', notion],
    ['with words that every listing could have', 'Notion MCP server', notion],
    ['a domain', 'notion.com', notion],
    ['a host below it', 'mcp.notion.com', notion],
    ['a namespace', 'com.notion', notion],
    ['an account of GitHub', 'getsentry', ['io.github.getsentry/errors']],
    ['the namespace of an account', 'io.github.getsentry', ['io.github.getsentry/errors']],
    ['a name of two words', 'hugging face', ['co.hugging-face/hub']],
  ])('%s: %s', async (_what, query, owned) => {
    const handles = await search({ query });
    expect(handles.slice(0, owned.length).toSorted()).toEqual(owned.toSorted());
  });
  it('and those that only mention it after them', async () => {
    const handles = await search({ query: 'notion' });
    expect(handles.slice(2).toSorted()).toEqual(['io.github.fan/notion', 'io.github.fan/notion-notion']);
  });
  it.each(['notion pages', 'official notion mcp', 'the notion documents server'])(
    'and with more words the one that has all of them, before look-alikes: %s',
    async (query) => {
      expect((await search({ query }))[0]).toMatch(/^com\.notion/);
    },
  );
  it.each(['bexley bank', 'Bexley Bank MCP server', 'official bexley bank', 'bexleybank'])(
    'whose domain has its letters before a look-alike with a hyphen: %s',
    async (query) => {
      const both = ['com.bexleybank/accounts', 'com.bexley-bank/accounts'];
      expect((await search({ query })).slice(0, 2)).toEqual(both);
      const { near = [], candidates = [] } = await callTool<{
        near?: string[];
        candidates?: { handle: string }[];
      }>(directory, 'get_agent', { handle: query });
      expect([...candidates.map(({ handle }) => handle), ...near].slice(0, 2)).toEqual(both);
    },
  );
  it('unless the hyphen is asked for', async () => {
    expect((await search({ query: 'bexley-bank' }))[0]).toBe('com.bexley-bank/accounts');
  });
  it('but not in quotes, in another order, or against a filter', async () => {
    expect((await search({ query: '"notion"' }))[0]).toMatch(/^io\.github\.fan\//);
    expect(await search({ query: 'getsentry', sort: 'published' })).toHaveLength(2);
    expect(await search({ query: 'notion', has_endpoint: true })).toEqual([]);
  });
});

describe('words that every listing could have', () => {
  it('find nothing beside a name, which finds the publisher whose label it begins', async () => {
    const found = await callTool(directory, 'search_agents', { query: 'kestrel mcp server' });
    expect(found).toMatchObject({
      listings: [{ handle: 'com.kestrelqueue/queue' }],
      did_you_mean: [{ word: 'kestrel', near: ['kestrelqueue'] }],
    });
  });
  it('find nothing beside words that no listing has', async () => {
    expect(await search({ query: 'zzyzxq mcp server' })).toEqual([]);
    expect((await search({ query: 'mcp server' })).length).toBeGreaterThan(0);
  });
  it('nor does a word that is near by chance, if most others are unknown', async () => {
    expect(await search({ query: 'servicios para enviar correos urgentes' })).toEqual([]);
    expect(await search({ query: 'servicie' })).toEqual(['org.other/helper']);
  });
});
