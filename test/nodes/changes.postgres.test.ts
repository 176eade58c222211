import { expect, it } from 'vitest';
import { judge, soakChanges } from '../../scripts/soak/changes.ts';
import { createNode } from '../../scripts/soak/cluster.ts';
import { createSharedDatabase } from '../support/database.ts';
import { freePort } from '../support/postgres-server.ts';

it('posts and streams every change at least once and in the order of its listing while nodes are killed', async () => {
  const databaseUrl = await createSharedDatabase();
  const hookPort = await freePort();
  const ports = [await freePort(), await freePort()];
  const nodes = ports.map((port) =>
    createNode(`http://127.0.0.1:${port}`, {
      DATABASE_URL: databaseUrl,
      REGISTRY_URL: 'off',
      PORT: String(port),
      LOG_LEVEL: 'error',
      WEBHOOK_OVERRIDES: JSON.stringify({ 'hook.example': `http://127.0.0.1:${hookPort}` }),
    }),
  );
  try {
    const { written, webhook, stream } = await soakChanges(nodes, { databaseUrl, hookPort, kills: 2 });
    expect(written).toBeGreaterThan(20);
    expect(webhook).toMatchObject({ arrived: written, lost: 0, outOfOrder: 0 });
    expect(stream).toEqual({ arrived: written, lost: 0, outOfOrder: 0, repeated: 0 });
    // Of each killed node at most what it had not stored yet.
    expect(webhook.repeated).toBeLessThanOrEqual(2 * 20);
  } finally {
    for (const node of nodes) await node.kill();
  }
});

it('judges what arrived: lost, repeated, out of order', () => {
  const of = (...seqs: number[]) => seqs.map((seq) => ({ seq, handle: seq % 2 === 0 ? 'a/even' : 'a/odd' }));
  expect(judge([1, 2, 3, 4], of(2, 1, 2, 3))).toEqual({ arrived: 3, lost: 1, repeated: 1, outOfOrder: 0 });
  expect(judge([1, 2, 3, 4], of(3, 4, 1, 2, 3))).toEqual({ arrived: 4, lost: 0, repeated: 1, outOfOrder: 2 });
});
