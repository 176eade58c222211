import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRating } from '../store/examples.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';

const handle = 'com.example/tool';
const commit = 'c0ffee'.repeat(7).slice(0, 40);
let directory: Directory;

const versions = Array.from({ length: 12 }, (_, place) =>
  registryEntry(
    handle,
    {
      title: 'A tool',
      description: 'What the tool does',
      version: `1.${place}.0`,
      websiteUrl: 'https://tool.example',
      repository: { url: 'https://github.com/example/tool', source: 'github' },
      remotes: [
        { type: 'streamable-http', url: 'https://tool.example/mcp' },
        { type: 'sse', url: 'https://tool.example/sse' },
      ],
      packages: [{ registryType: 'npm', identifier: 'tool', version: '3.2.1', transport: { type: 'stdio' } }],
    },
    {
      isLatest: place === 11,
      status: 'deprecated',
      statusMessage: 'Use the other one',
      publishedAt: `2026-10-${String(place + 1).padStart(2, '0')}T08:00:00Z`,
    },
  ),
);

async function claimAndRate(): Promise<void> {
  const claim = {
    handle,
    claimed_at: '2026-10-20T08:00:00.000Z',
    kind: 'repository' as const,
    place: 'https://github.com/example/tool',
    place_key: 'github.com/example/tool',
    root: 'github.com/example',
    root_generation: 0,
    first_proved_at: '2026-10-20T08:00:00.000Z',
    commit,
    branch: 'main',
    checked_at: '2026-10-22T08:00:00.000Z',
  };
  const event = { kind: claim.kind, repository: claim.place, commit };
  await directory.store.write(async (tx) => {
    await tx.claims.putClaim({ ...claim, state: 'suspended', suspended_reason: 'file_missing' });
    await tx.claims.addEvent(handle, { ...event, type: 'activated', at: claim.claimed_at, log_index: 1 });
    await tx.claims.addEvent(handle, {
      ...event,
      type: 'suspended',
      at: '2026-10-21T08:00:00.000Z',
      reason: 'file_missing',
      log_index: 2,
    });
    const rating = { subject_handle: handle, created_at: '2026-10-21T08:00:00.000Z' };
    await tx.ratings.insert(makeRating('r1', { ...rating, source_handle: 'b/one', score: 4, log_index: 3 }));
    await tx.ratings.insert(
      makeRating('r2', {
        ...rating,
        source_handle: 'com.example/other',
        source_root: 'github.com/example',
        outcome: 'failed',
        related: true,
        log_index: 4,
      }),
    );
    await tx.listings.reindex(handle);
  });
}

beforeAll(async () => {
  directory = await openDirectory({ entries: versions, environment: { LIMITS: 'off' } });
  await claimAndRate();
});
afterAll(() => directory.close());

const pageText = async () => {
  const page = await (await directory.app.request(`/agents/${handle}`)).text();
  const main = page.slice(page.indexOf('<main'));
  return main
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replace(/\s+/g, ' ')
    .replace(/ ?, \d+ \w+ ago/g, '');
};
const markdownText = async () => {
  const markdown = await (await directory.app.request(`/agents/${handle}.md`)).text();
  return markdown.replace(/[\\`]/g, '').replace(/\s+/g, ' ');
};

/** What the page says, in its order. */
const onPage = [
  'A tool',
  'published under com.example (its only listing)',
  'What the tool does',
  'Claim suspended: file missing',
  'Deprecated in the registry (record); its publisher says',
  '“Use the other one”',
  'Rated by 1 independent source, 1 rating (1 succeeded); 1 rating set apart.',
  'Domain example.com, proven to the registry; none of its 2 endpoints is on it. Website',
  'https://tool.example',
  'https://github.com/example/tool',
  '(record). Its claim of 2026-10-20 is suspended (file missing).',
  'https://tool.example/mcp , not checked;',
  'https://tool.example/sse',
  '), not checked; a package for your machine:',
  'Independent: 1 source, 1 rating: 1 succeeded; none with a proof; last',
  'related: 1 source, 1 rating: 1 failed; none with a proof; last',
  'com.example/tool is listed with 1 independent source, 1 rating; 1 rating set apart, as of',
  'What does it cost, and who is paid?',
  'Dossier has not checked whether the endpoint asks for a payment.',
  'How it is reached: streamable-http , sse , stdio',
  'Dossier has made no observation of this listing.',
  'What the publisher showed to the registry: control of the domain in the name',
  'Repository: github.com/example/tool',
  'Status in the registry: deprecated',
  'Versions published: 12',
  '1 independent source, 1 rating; 1 rating set apart. Each rating is one sourced signal, never a final verdict.',
  'Independent',
  '1 succeeded',
  'Related',
  '1 failed',
  'com.example/other',
  'All ratings, with what was amended and withdrawn',
  'claude mcp add --transport http example-tool-mcp https://tool.example/mcp',
  'claude mcp add --transport sse example-tool-sse https://tool.example/sse',
  `Write access to the default branch of the repository recorded for the listing was shown at commit ${commit.slice(0, 12)} on 2026-10-20. This says nothing about quality or about the publisher.`,
  'Last recorded check: 2026-10-22',
  'Suspended: file missing.',
  'Check or renew the claim',
] as const;

/** What the Markdown twin says, in its order. */
const inMarkdown = [
  'A tool',
  'What the tool does',
  'Deprecated in the registry (record); its publisher says “Use the other one”.',
  'Rated by 1 independent source, 1 rating (1 succeeded); 1 rating set apart.',
  'Domain example.com, proven to the registry; none of its 2 endpoints is on it. Website https://tool.example; repository https://github.com/example/tool (record). Its claim of 2026-10-20 is suspended (file missing).',
  'https://tool.example/mcp, not checked; https://tool.example/sse (sse), not checked; a package for your machine: npm tool@3.2.1, not checked.',
  'Independent: 1 source, 1 rating: 1 succeeded; none with a proof; last 2026-10-21; related: 1 source, 1 rating: 1 failed; none with a proof; last 2026-10-21',
  'com.example/tool is listed with 1 independent source, 1 rating; 1 rating set apart, as of',
  'All facts and sources',
  'What does it cost, and who is paid?',
  'Not known: Dossier has not checked whether the endpoint asks for a payment.',
  'How it is reached: streamable-http, sse, stdio (record, ',
  'Not known: ',
  'What the publisher showed to the registry: control of the domain in the name',
  'Repository: github.com/example/tool',
  'Status in the registry: deprecated',
  'Versions published: 12',
  '1 independent source, 1 rating; 1 rating set apart. Each rating is one sourced signal, never a final verdict.',
  'Source: ratings made on Dossier by claimed listings. As of',
  'Independent',
  '1 succeeded',
  '4 (1 time)',
  'Related',
  '1 failed',
  'com.example/other',
  'All ratings, with what was amended and withdrawn',
  'Record',
  'remote',
  '1.11.0',
  'registry.modelcontextprotocol.io (MCP)',
  `Write access to the default branch of the repository recorded for the listing was shown at commit ${commit} on 2026-10-20. This says nothing about quality or about the publisher.`,
  'Last recorded check: 2026-10-22',
  'Suspended: file missing.',
  'Check or renew the claim',
  'The newest 10 of 12 versions',
  '1.2.0',
  'History of the claim',
  'Namespace and repository owner cannot be compared.',
  '2026-10-20 claimed: write access to its repository was shown (commit c0ffeec0ffee)',
  '2026-10-21 claim suspended: file missing (commit c0ffeec0ffee)',
] as const;

/** Where each fact stands behind the one before it; -1 from the first that does not. */
function placesOf(facts: readonly string[], text: string): number[] {
  let from = 0;
  return facts.map((fact) => {
    const place = from < 0 ? -1 : text.indexOf(fact, from);
    from = place < 0 ? -1 : place + fact.length;
    return place;
  });
}
const missingIn = (facts: readonly string[], text: string) => facts[placesOf(facts, text).indexOf(-1)];

describe('a listing and its Markdown twin', () => {
  it('have what is known of it, each in its order', async () => {
    expect(missingIn(onPage, await pageText())).toBeUndefined();
    expect(missingIn(inMarkdown, await markdownText())).toBeUndefined();
  });

  it('date a suspension by the day on which the claim was suspended', async () => {
    const path = `/badge/${handle}.svg?show=claim`;
    expect(await (await directory.app.request(path)).text()).toContain('claim suspended 2026-10-21');
    for (const text of [await pageText(), await markdownText()])
      expect(text).toContain('Its claim of 2026-10-20 is suspended (file missing).');
  });

  it('have the state of the listing and the number of versions shown', async () => {
    for (const text of [await pageText(), await markdownText()]) {
      expect(text).toContain('Claim suspended');
      expect(text).toContain('Deprecated in the registry');
      expect(text).not.toContain('10 versions');
      expect(text).not.toContain('1.1.0 ');
    }
    const { versions } = (await (await directory.app.request(`/agents/${handle}.json`)).json()) as {
      versions: object[];
    };
    expect(versions).toHaveLength(10);
  });
});
