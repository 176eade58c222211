import { describe, expect, it } from 'vitest';
import { connect } from '../support/mcp-clients.ts';
import { openedDirectory } from '../support/opened.ts';

const silent = await openedDirectory({ environment: { LIMITS: 'off' } });
const said = await openedDirectory({
  environment: {
    LIMITS: 'off',
    OPERATOR_NAME: 'Example Ltd',
    OPERATOR_CONTACT: 'desk@example.com',
    IMPRINT_URL: 'https://example.com/imprint',
  },
});
const unsaid = await connect('v2', { app: silent.app });
const told = await connect('v2', { app: said.app });

const citing =
  'To cite what was known about a listing, give its page as of the day, http://127.0.0.1:3000/agents/<handle>?as_of=<day>, with the origin and the date of the record that the page names. With .intoto.json after the handle, it is a signed statement.';

const messageOf = async (client: typeof told, tool: string, args: Record<string, unknown>) => {
  const { content } = await client.call(tool, args);
  return (JSON.parse(content[0]?.text ?? '') as { error: { message: string } }).error.message;
};

describe('over MCP, a service says of itself', () => {
  it.each(['agent://about', 'agent://llms.txt'])(
    'in %s who runs it, how to cite it, where all data is, its limits and licence',
    async (uri) => {
      const [ofSaid] = await told.read(uri);
      expect(ofSaid?.text).toContain(
        `* Operator: Example Ltd\n* Contact: desk@example.com\n* Imprint and terms: https://example.com/imprint\n\n${citing}`,
      );
      const [ofUnsaid] = await unsaid.read(uri);
      expect(ofUnsaid?.text).toContain(
        `* Operator: The operator has not said who runs this instance of Dossier.\n* Contact: The operator has given no contact. The form at http://127.0.0.1:3000/feedback is read by the operator.\n* Imprint and terms: The operator has not said where an imprint or terms of use are.\n\n${citing}\n\nAll of it: http://127.0.0.1:3000/export/manifest.json names the files with each record and its evidence, and http://127.0.0.1:3000/changes has what changed since, with since and until as days too (the newest changes with before and after: http://127.0.0.1:3000/feed.json). A refused request names its limit in RateLimit-Policy, and in Retry-After when to come again.\n\nLicence of the data: this service states none, unless its terms of use do. The texts of a listing are its publisher’s; the terms of its record are those of its registry. To report a listing, or to have something removed: submit_feedback with the category report.`,
      );
    },
  );

  it('in agent://about and on its page what a change is looked for in, and of a listing that its certificate is not checked', async () => {
    const compared =
      'A change is looked for only in the kinds of facts that Dossier keeps, never in certificates, DNS records or running code.';
    const [about] = await unsaid.read('agent://about');
    expect(about?.text).toContain(`\n* ${compared}\n`);
    expect(await (await silent.app.request('/about')).text()).toContain(`<p>${compared}</p>`);
    const { structuredContent } = await unsaid.call('get_agent', {
      handle: 'co.webhook/webhook',
      detail: 'full',
    });
    expect(structuredContent?.markdown).toMatch(/\* Not checked: .*\bcertificate\b/);
    const { not_known } = (await (await silent.app.request('/agents/co.webhook/webhook.json')).json()) as {
      not_known: object[];
    };
    expect(not_known).toContainEqual({
      question: 'reach',
      kind: 'endpoint.certificate',
      state: 'not_checked',
      reason:
        'Dossier has not checked whether the certificate or the DNS records of a host of the service changed.',
    });
  });

  it('in its instructions where that is', () => {
    expect(told.instructions()).toContain(
      'Who runs this, how to cite, limits, licence, bulk data: agent://about.',
    );
  });

  it.each(['dossier', 'Dossier', 'http://127.0.0.1:3000', 'https://127.0.0.1:3000/'])(
    'who runs it, if get_agent is asked for %s',
    async (handle) => {
      expect(await messageOf(told, 'get_agent', { handle })).toContain(
        'If you mean this service: Operator: Example Ltd; Contact: desk@example.com; Imprint and terms: https://example.com/imprint. Rules of evidence, how to cite, limits, licence and all data: http://127.0.0.1:3000/about, agent://about. How to connect and each tool: agent://llms.txt.',
      );
      expect(await messageOf(unsaid, 'get_agent', { handle })).toContain(
        'If you mean this service: Operator: The operator has not said who runs this instance of Dossier; Contact: The operator has given no contact. The form at http://127.0.0.1:3000/feedback is read by the operator; Imprint and terms: The operator has not said where an imprint or terms of use are. Rules',
      );
    },
  );

  it.each(['what is dossier', 'how do I list my server', 'download all listings', 'licence of this data'])(
    'who runs it, if a search is for %s',
    async (query) => {
      const { structuredContent } = await told.call('search_agents', { query });
      expect(structuredContent?.advice).toContain('If you mean this service: Operator: Example Ltd;');
    },
  );

  it('how many entries its log has, what gets one and how a record is cited, if a proof is asked for that it has not', async () => {
    expect(await messageOf(told, 'get_proof', { log_index: 0 })).toContain(
      `The log has 0 entries, none with the index 0. Claims, ratings, responses, what checks saw first or saw changed, and actions of the operator get entries; an imported record gets none. ${citing}`,
    );
  });
});
