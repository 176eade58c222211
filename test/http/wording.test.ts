import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { connect } from '../support/mcp-clients.ts';

const handle = 'co.webhook/webhook';
let directory: ClaimedDirectory;
const textOf = async (path: string, init?: RequestInit) => (await directory.app.request(path, init)).text();
const plain = (page: string) => page.replaceAll('&quot;', '"').replaceAll('&#39;', "'");

beforeAll(async () => {
  directory = await openClaimedDirectory();
  await directory.claim(handle, 'webhook-co/webhook');
});
afterAll(() => directory.close());

describe('the same fact in the same words', () => {
  it('what was shown by a claim: document, page and claim page', async () => {
    const { claim } = JSON.parse(await textOf(`/agents/${handle}.json`));
    expect(claim.statement).toMatch(
      /^Write access to the default branch of the repository recorded for the listing was shown at commit [0-9a-f]{40} on \d{4}-\d\d-\d\d\. This says nothing about quality or about the publisher\.$/,
    );
    // Pages show the first twelve digits of a commit.
    const shown = claim.statement.replace(/(?<=[0-9a-f]{12})[0-9a-f]{28}/, '');
    expect(await textOf(`/agents/${handle}`)).toContain(shown);
    directory.wait(31);
    const looked = await textOf(`/agents/${handle}/claim`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'http://127.0.0.1:3000' },
    });
    expect(looked).toContain('<h2 id="result">Claimed</h2>');
    expect(looked).toContain(shown);
  });

  it('what a claim shows: claim page, llms.txt', async () => {
    for (const path of [`/agents/${handle}/claim`, '/agents/com.politicalcomms/api/claim', '/llms.txt'])
      expect(await textOf(path)).toContain(
        'A claim shows write access to the default branch of the repository recorded for the listing, at a commit, on a date. If the namespace is a domain, a claim may instead show control of its DNS or web server, or possession of its key for the MCP registry. If it is a GitHub account, a claim may instead show write access to the repository that has the account’s name. The claim says which. It says nothing about quality or about the publisher.',
      );
  });

  it('the rules of evidence: agent://about and /about', async () => {
    const client = await connect('v2', { app: directory.app });
    const [about] = await client.read('agent://about');
    await client.close();
    const rules = (about?.text ?? '')
      .split('\n')
      .flatMap((line) => (line.startsWith('* ') ? [line.slice(2)] : []));
    expect(rules).toHaveLength(10);
    const page = plain(await textOf('/about'));
    for (const rule of rules) expect(page).toContain(rule);
    expect(page.split('</ol>')[0]?.split('<li>')).toHaveLength(rules.length);
  });

  it('what feedback is about: form and tool', async () => {
    const options = [...(await textOf('/feedback')).matchAll(/<option value="([a-z]+)">\1</g)].map(
      ([, value]) => value,
    );
    expect(options).toEqual(['data', 'search', 'claim', 'rating', 'report', 'other']);
  });
});
