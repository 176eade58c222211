import { describe, expect, it } from 'vitest';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const remote = (url: string) => ({ type: 'streamable-http', url });
const directory = await openedDirectory({
  entries: [
    registryEntry('a.b/remote', { remotes: [remote('https://a.example/mcp')] }, { updatedAt: undefined }),
    registryEntry('a.b/template', { remotes: [remote('https://{host}/mcp')] }, { updatedAt: undefined }),
    registryEntry('a.b/neither', {}, { updatedAt: undefined }),
    registryEntry('a.b/stating', {
      _meta: {
        'io.modelcontextprotocol.registry/publisher-provided': {
          license: 'MIT',
          links: [{ supportEmail: 'help@a.example' }],
          useCases: ['any'],
        },
      },
    }),
    registryEntry('a.b/outside', { pricing: { monthly: 9 } }),
  ],
});

const read = async (path: string) => (await directory.app.request(path)).text();

describe('what is not known', () => {
  it('never denies what a field that Dossier does not read may state', async () => {
    const reasonsOf = async (handle: string) => {
      const { not_known } = JSON.parse(await read(`/agents/${handle}.json`));
      return Object.fromEntries(
        not_known.map(({ kind, state, reason }: Record<string, string>) => [kind, [state, reason]]),
      );
    };
    const stating = await reasonsOf('a.b/stating');
    expect(stating.licence).toEqual([
      'not_checked',
      'Dossier has not checked whether unread fields of the record state a licence.',
    ]);
    expect(stating.support?.[0]).toBe('not_checked');
    expect(stating.price).toEqual(['not_checked', 'Dossier has not checked whether a payment is asked for.']);
    expect(stating.region).toEqual([
      'not_stated',
      'The record that Dossier read has no field that states the region that the service runs in.',
    ]);
    expect((await reasonsOf('a.b/outside')).price?.[0]).toBe('not_checked');
    expect(await read('/agents/a.b/stating.md')).toContain(
      '* Fields of the record that Dossier does not read: `license`, `links`, `supportEmail`, `useCases` (',
    );
  });

  it('is in the document with its reason, on the page and in Markdown', async () => {
    const { not_known, not_seen, evidence_snapshot_date } = JSON.parse(await read('/agents/a.b/remote.json'));
    const rating = { question: 'ratings', kind: 'ratings.native', outcome: 'nothing' };
    const reason = 'No rating of this listing counts here.';
    expect(not_seen).toEqual([{ ...rating, reason, by: 'this service', as_of: evidence_snapshot_date }]);
    expect(
      not_known.map(({ question, kind, state }: Record<string, string>) => [question, kind, state]),
    ).toEqual([
      ['price', 'price', 'not_checked'],
      ['reach', 'endpoint.answers', 'not_checked'],
      ['reach', 'endpoint.certificate', 'not_checked'],
      ['tools', 'tools.surface', 'not_checked'],
      ['access', 'auth', 'not_stated'],
      ['publisher', 'operator', 'not_stated'],
      ['code', 'repository', 'not_checked'],
      ['terms', 'terms.url', 'not_stated'],
      ['terms', 'data_handling', 'not_stated'],
      ['terms', 'region', 'not_stated'],
      ['terms', 'licence', 'not_stated'],
      ['terms', 'support', 'not_stated'],
    ]);
    expect(not_known[0].reason).toBe('Dossier has not checked whether a payment is asked for.');
    expect(not_known[1].reason).toBe('Dossier has not checked whether the endpoint answers.');
    expect(await read('/agents/a.b/remote')).toContain(
      '<li class="gap"><b>Terms, data handling, region, licence, support:</b> not stated.</li>',
    );
    expect(await read('/agents/a.b/remote.md')).toContain(
      '* Not known: Dossier has not checked whether a payment is asked for.\n',
    );
  });
});
