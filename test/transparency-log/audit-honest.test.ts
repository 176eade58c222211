import { afterEach, beforeEach, expect, it } from 'vitest';
import { openOwnEvidence } from '../../src/app/own-evidence.ts';
import { audit } from '../../src/audit/audit.ts';
import { createServedEvidence, type EvidenceReader } from '../../src/audit/served.ts';
import { createServiceClient } from '../../src/audit/service.ts';
import { toLeaf } from '../../src/log/leaf.ts';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { addSource, recordSource } from '../support/rating-source.ts';

const handle = 'co.webhook/webhook';
let directory: ClaimedDirectory;
let rater: string;

beforeEach(async () => {
  directory = await openClaimedDirectory({ listening: true });
  rater = await addSource(directory.store);
  await recordSource(directory.store);
});
afterEach(() => directory.close());

async function post(tool: string, input: object) {
  const response = await directory.post(`/api/tools/${tool}`, input, rater);
  expect(response.status, tool).toBe(200);
  return (await response.json()) as { rating_id: string };
}
async function rate(change: object = {}) {
  const input = { handle, interaction_id: 'one', interaction_at: '2026-11-21T10:00:00Z', protocol: 'mcp' };
  const sent = { ...input, relationship: 'none', outcome: 'failed', comment: 'Timed out.', ...change };
  return (await post('submit_rating', sent)).rating_id;
}
const withdraw = (rating_id: string) => post('withdraw_rating', { rating_id });

const now = () => directory.context.clock().toISOString();
const act = (name: string, on: string) => directory.act(name, on, 'unlawful');

/** Closes the log as a restored backup does: a service gives out no record of it any more. */
async function closeLog(): Promise<void> {
  const checkpoint = await (await directory.app.request('/log/checkpoint')).text();
  await directory.store.write(async (tx) => {
    await tx.log.close({ id: 1, closed_with: checkpoint, opened_at: now() });
    await tx.log.openNext({ id: 2, opened_at: now() });
    await tx.log.append(toLeaf('log.continued', { checkpoint }));
  });
}

async function findIn(reader: EvidenceReader) {
  const faults: string[] = [];
  await audit(reader, [], {
    onFault: ({ where, message }) => void faults.push(`${where}: ${message}`),
  });
  return faults;
}

it('accuses nobody of a rating that was withdrawn and then hidden', async () => {
  const id = await rate();
  await withdraw(id);
  await act('hide', id);
  expect(await directory.audit()).toEqual([]);
});

it('accuses nobody of a rating that was withdrawn, given again and then hidden', async () => {
  await withdraw(await rate());
  await act('hide', await rate({ outcome: 'partial' }));
  expect(await directory.audit()).toEqual([]);
});

it.each(['hide', 'withdraw'])(
  'accuses nobody if the operator acts on a listing meanwhile: %s',
  async (name) => {
    await rate();
    const { url, context } = directory;
    const readers = [await openOwnEvidence(context), createServedEvidence(createServiceClient(url))];
    for (const reader of readers)
      for (const isBefore of [true, false]) {
        const acting: EvidenceReader = {
          ...reader,
          async *handles() {
            if (isBefore) await act(name, handle);
            yield* reader.handles();
            await (isBefore ? directory.restore(handle) : act(name, handle));
          },
        };
        expect(await findIn(acting)).toEqual([]);
        await directory.restore(handle);
      }
    expect(await directory.audit()).toEqual([]);
  },
);

it.each(['hide', 'withdraw'])(
  'accuses nobody of a listing that has nothing else to show: %s',
  async (name) => {
    const [{ server } = {}] = seedEntries;
    await act(name, `${server?.name}`);
    expect(await directory.audit()).toEqual([]);
    await directory.restore(`${server?.name}`);
    expect(await directory.audit()).toEqual([]);
  },
);

it('accuses nobody of what a closed log withdrew, amended or erased', async () => {
  await withdraw(await rate());
  const amended = await rate({ interaction_id: 'two' });
  const newer = await rate({ interaction_id: 'two', supersedes: amended, outcome: 'partial' });
  await act('erase', await rate({ interaction_id: 'three' }));
  await closeLog();
  await rate({ interaction_id: 'two', supersedes: newer });
  await withdraw(await rate({ interaction_id: 'four' }));
  expect(await directory.audit()).toEqual([]);
});

it('accuses nobody of a withdrawn rating of a listing that the operator withdrew', async () => {
  await withdraw(await rate());
  await rate({ interaction_id: 'two' });
  await act('withdraw', handle);
  expect(await directory.audit()).toEqual([]);
});

it.each(['before', 'after'])(
  'accuses nobody if a listing whose events and ratings are in a closed log is gone %s that was closed',
  async (order) => {
    const other = 'com.politicalcomms/api';
    const asOwner = await directory.claim(handle, 'webhook-co/webhook');
    const asOther = await directory.claim(other, 'Political-Comms/political-comms-sdk');
    const praise = { interaction_at: now(), protocol: 'mcp', relationship: 'none', outcome: 'succeeded' };
    const call = async (tool: string, input: object, as: string) => {
      const response = await directory.post(`/api/tools/${tool}`, input, as);
      expect(response.status, tool).toBe(200);
      return (await response.json()) as { rating_id: string; group: string };
    };
    const { rating_id } = await call(
      'submit_rating',
      { ...praise, handle: other, interaction_id: '1' },
      asOwner,
    );
    expect(await call('submit_rating', { ...praise, handle, interaction_id: '2' }, asOther)).toMatchObject({
      group: 'reciprocal',
    });
    const remove = () => {
      const [first, second] = seedEntries;
      const entry = [first, second].find((one) => one?.server.name === other);
      if (!entry) throw new Error(`${other} is no seed entry`);
      return directory.importEntries([registryEntry(other, entry.server, { status: 'deleted' })]);
    };
    // Its claim stays in force, which no entry says that can be read.
    if (order === 'before') await act('withdraw', other);
    await closeLog();
    if (order === 'after') {
      await call('respond_to_rating', { rating_id, text: 'Thank you.' }, asOther);
      await remove();
    }
    expect((await directory.app.request(`/agents/${other}.json`)).status).toBe(410);
    expect(await directory.audit()).toEqual([]);
  },
);
