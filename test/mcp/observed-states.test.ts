import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClaimedDirectory } from '../support/claimed-directory.ts';
import { type AnyClient, connect } from '../support/mcp-clients.ts';
import { observedStates, openObservedStates } from '../support/observed-states.ts';

let directory: ClaimedDirectory;
let client: AnyClient;
beforeAll(async () => {
  directory = await openObservedStates();
  client = await connect('v1', { app: directory.app });
});
afterAll(async () => {
  await client.close();
  await directory.close();
});

const dayAgo = (days: number) =>
  new Date(directory.context.clock().getTime() - days * 86_400_000).toISOString().slice(0, 10);

async function ask(tool: string, args: Record<string, unknown>) {
  const { structuredContent, content } = await client.call(tool, args);
  return { text: content[0]?.text ?? '', json: structuredContent as Record<string, unknown> };
}

describe('get_history', () => {
  it('says prices in their unit, as get_agent does', async () => {
    const { json } = await ask('get_history', { handle: observedStates.paid, kind: 'price' });
    const [price] = json.changes as string[];
    expect(price).toMatch(
      new RegExp(
        `^${dayAgo(20)} Price that the endpoint quotes \\(https://mcp\\.quotewire\\.com/mcp\\): 0\\.01 USDC on \`eip155:8453\`, paid to \`0x1{40}\` until ${dayAgo(40)}, now 0\\.05 USDC on \`eip155:8453\`, paid to \`0x2{40}\` \\(log index \\d+\\)$`,
      ),
    );
  });

  it('gives no number of the facts of a first check of which it shows one kind', async () => {
    const ofKind = await ask('get_history', { handle: observedStates.paid, kind: 'price' });
    expect(ofKind.text).toContain(`${dayAgo(60)} first check (log index`);
    expect(ofKind.text).not.toContain('first check:');
    const all = await ask('get_history', { handle: observedStates.paid });
    expect(all.text).toMatch(/first check: \d+ facts \(log index/);
  });

  it('names the tool that proves an entry where it gives log indexes', async () => {
    const { text } = await ask('get_history', { handle: observedStates.paid });
    expect(text).toContain('get_proof');
    const empty = await ask('get_history', { handle: observedStates.paid, kind: 'views' });
    expect(empty.text).not.toContain('get_proof');
  });
});
