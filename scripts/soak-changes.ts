import { parseArgs } from 'node:util';
import { freePort } from '../test/support/postgres-server.ts';
import { type Arrival, soakChanges } from './soak/changes.ts';
import { openCluster } from './soak/cluster.ts';

// Usage: npm run lab soak:changes -- [--kills 20] [--nodes 2]. Changes of ten listings, posted to a webhook
// and read as a stream.
const { values } = parseArgs({
  options: { kills: { type: 'string', default: '20' }, nodes: { type: 'string', default: '2' } },
});

const toText = ({ arrived, lost, repeated, outOfOrder }: Arrival) =>
  `${arrived} arrived, lost ${lost}, out of order ${outOfOrder}, repeated ${repeated}`;

const hookPort = await freePort();
const cluster = await openCluster({
  size: Number(values.nodes),
  sources: 0,
  environment: {
    REGISTRY_URL: 'off',
    WEBHOOK_OVERRIDES: JSON.stringify({ 'hook.example': `http://127.0.0.1:${hookPort}` }),
  },
});
try {
  const { databaseUrl, nodes } = cluster;
  const soak = await soakChanges(nodes, { databaseUrl, hookPort, kills: Number(values.kills) });
  process.stdout.write(
    `${soak.written} changes of 10 listings on ${nodes.length} nodes, ${soak.kills} of them killed (-9) one after the other\n` +
      `webhook  ${toText(soak.webhook)}\nstream   ${toText(soak.stream)}\n`,
  );
  const { webhook, stream } = soak;
  if (webhook.lost + webhook.outOfOrder + stream.lost + stream.outOfOrder + stream.repeated > 0)
    process.exitCode = 1;
} finally {
  await cluster.close();
}
