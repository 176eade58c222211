import { openClaimedDirectory } from '../../test/support/claimed-directory.ts';
import { registryEntry } from '../../test/support/entries.ts';
import { connect } from '../../test/support/mcp-clients.ts';
import { onGitHub } from '../../test/support/registry-entries.ts';

export const subject = 'com.example.sms/gateway';
export const other = 'com.example.mail/gateway';

/**
 * A call of a tool through a real MCP client: the answer or the problem, and the bytes of the larger form.
 */
export interface Called {
  readonly answer: Record<string, unknown>;
  readonly tokens: number;
  readonly isError: boolean;
}

/** A service with a claimed, rated listing and one that is neither; `call` asks it as an agent does. */
export async function openEvaluated() {
  const endpoint = (host: string) => ({
    type: 'streamable-http',
    url: `https://${host}/mcp`,
    headers: [{ name: 'Authorization', isRequired: true, isSecret: true }],
  });
  const directory = await openClaimedDirectory({
    entries: [
      registryEntry(subject, {
        ...onGitHub('sms/gateway'),
        title: 'SMS gateway',
        description: 'Send SMS messages to any country.',
        remotes: [endpoint('mcp.sms.example.com')],
        packages: [
          { registryType: 'npm', identifier: 'sms-gateway', version: '1.2.0', transport: { type: 'stdio' } },
        ],
      }),
      registryEntry(other, {
        ...onGitHub('mail/gateway'),
        description: 'Send mail.',
        remotes: [endpoint('mcp.mail.example.com')],
      }),
      registryEntry('org.rater/agent', onGitHub('rater/agent')),
    ],
  });
  await directory.claim(subject, 'sms/gateway');
  const rater = await directory.claim('org.rater/agent', 'rater/agent');
  const rating = {
    handle: subject,
    interaction_id: 'job-1',
    interaction_at: new Date(directory.context.clock().getTime() - 60_000).toISOString(),
    outcome: 'failed',
    protocol: 'mcp',
    relationship: 'customer',
    score: 2,
    comment: 'Two of ten arrived.',
  };
  await directory.post('/api/tools/submit_rating', rating, rater);
  const client = await connect('v2', { app: directory.app });
  // Tools that need a capability are listed to clients that have one.
  const holder = await connect('v2', { app: directory.app }, { authorization: `Bearer ${rater}` });
  const tools = (await holder.tools()) as { name: string; description: string }[];
  await holder.close();
  const call = async (tool: string, input: object): Promise<Called> => {
    const { structuredContent = {}, content, isError } = await client.call(tool, { ...input });
    const forms = [JSON.stringify(structuredContent), content[0]?.text ?? ''];
    const tokens = Math.max(...forms.map((form) => Buffer.byteLength(form))) / 4;
    return { answer: structuredContent as Record<string, unknown>, tokens, isError: isError === true };
  };
  return {
    call,
    tools,
    async close() {
      await client.close();
      await directory.close();
    },
  };
}
