import { describe, expect, it } from 'vitest';
import { openDirectory } from '../support/directory.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened } from '../support/opened.ts';

const silent = await opened(openDirectory({ environment: { LIMITS: 'off' } }));
const said = await opened(
  openDirectory({
    environment: {
      LIMITS: 'off',
      OPERATOR_NAME: 'Example Ltd',
      OPERATOR_CONTACT: 'desk@example.com',
      IMPRINT_URL: 'https://example.com/imprint',
    },
  }),
);
const unsaid = await connect('v2', { app: silent.app });
const told = await connect('v2', { app: said.app });

const citing =
  'To cite what was known about a listing, give its page as of the day, http://127.0.0.1:3000/agents/<handle>?as_of=<day>, with the origin and the date of the record that the page names. With .intoto.json after the handle, it is a signed statement.';

const messageOf = async (client: typeof told, tool: string, args: Record<string, unknown>) => {
  const { content } = await client.call(tool, args);
  return (JSON.parse(content[0]?.text ?? '') as { error: { message: string } }).error.message;
};

describe('over MCP, a service says of itself', () => {
  it.each(['agent://about', 'agent://llms.txt'])('in %s who runs it, and how to cite it', async (uri) => {
    const [ofSaid] = await told.read(uri);
    expect(ofSaid?.text).toContain(
      `* Operator: Example Ltd\n* Contact: desk@example.com\n* Imprint and terms: https://example.com/imprint\n\n${citing}`,
    );
    const [ofUnsaid] = await unsaid.read(uri);
    expect(ofUnsaid?.text).toContain(
      `* Operator: The operator has not said who runs this instance of Dossier.\n* Contact: The operator has given no contact. The form at http://127.0.0.1:3000/feedback is read by the operator.\n* Imprint and terms: The operator has not said where an imprint or terms of use are.\n\n${citing}`,
    );
  });

  it('in its instructions where that is', () => {
    expect(told.instructions()).toContain('Who runs this, and how to cite: agent://about.');
  });

  it.each(['dossier', 'Dossier', 'http://127.0.0.1:3000', 'https://127.0.0.1:3000/'])(
    'who runs it, if get_agent is asked for %s',
    async (handle) => {
      expect(await messageOf(told, 'get_agent', { handle })).toContain(
        'If you mean this service: Operator: Example Ltd; Contact: desk@example.com; Imprint and terms: https://example.com/imprint. Rules of evidence and how to cite: http://127.0.0.1:3000/about, agent://about.',
      );
      expect(await messageOf(unsaid, 'get_agent', { handle })).toContain(
        'If you mean this service: Operator: The operator has not said who runs this instance of Dossier; Contact: The operator has given no contact. The form at http://127.0.0.1:3000/feedback is read by the operator; Imprint and terms: The operator has not said where an imprint or terms of use are. Rules',
      );
    },
  );

  it('how many entries its log has, what gets one and how a record is cited, if a proof is asked for that it has not', async () => {
    expect(await messageOf(told, 'get_proof', { log_index: 0 })).toContain(
      `The log has 0 entries, none with the index 0. Claims, ratings, responses, what checks saw first or saw changed, and actions of the operator get entries; an imported record gets none. ${citing}`,
    );
  });
});
