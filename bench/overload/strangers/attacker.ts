import { attacks } from './attacks.ts';
import { toHandles } from './hostile.ts';

// Usage: node bench/overload/strangers/attacker.ts ATTACK URL DATABASE_URL SECONDS. Reads each hostile
// listing once, each from another network, and does what else the attack does; prints what came of it, and
// keeps its connections until it is ended.
const [name = '', url = '', databaseUrl = '', seconds = '10'] = process.argv.slice(2);
const { publishers = {}, act } = attacks[name] ?? {};
const handles = Object.entries(publishers).flatMap(([publisher, one]) => toHandles(publisher, one));

const read = (handle: string, at: number) =>
  fetch(`${url}/api/tools/get_agent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${at}` },
    body: JSON.stringify({ handle }),
  }).then(
    ({ status }) => status,
    () => 'no answer',
  );

process.stdout.write('begins\n');
const statuses = await Promise.all(handles.map(read));
const done = await act?.({ url, databaseUrl, seconds: Number(seconds) });
const unread = statuses.filter((status) => status !== 200).length;
process.stdout.write(
  `${[handles.length > 0 && `${handles.length - unread} hostile listings read`, done].filter(Boolean).join('; ')}\n`,
);
setInterval(() => undefined, 1000);
