import autocannon from 'autocannon';
import { type AttackName, attacks, toSearches } from './attacks.ts';
import { openSlow } from './slow.ts';

// Usage: attacker.ts URL ATTACK SECONDS. Prints how many answers had each status.
const [url = '', name = 'searches', duration = '10'] = process.argv.slice(2);
const attack = attacks[name as AttackName];
openSlow(url, attack.slowConnections);
const { statusCodeStats = {}, errors } = await autocannon({
  url,
  connections: attack.connections,
  duration: Number(duration),
  requests: toSearches(attack),
});
const counts = Object.entries(statusCodeStats).map(
  ([status, { count = 0 }]) => `${count.toLocaleString('en')} x ${status}`,
);
const failed = errors > 0 ? [`${errors.toLocaleString('en')} without an answer`] : [];
process.stdout.write([...counts, ...failed].join(', '));
process.exit(0);
