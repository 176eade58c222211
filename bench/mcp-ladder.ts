import { type ChildProcess, fork } from 'node:child_process';
import { cpus } from 'node:os';
import autocannon from 'autocannon';
import { floorName, rungs, serveRung } from './mcp-rungs.ts';

// Usage: node bench/mcp-ladder.ts [rounds] [seconds]. Each rung is served by a child process; the load comes from here.

const eras = ['legacy', 'modern'] as const;
type Era = (typeof eras)[number];

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = { name: 'get_agent', arguments: { handle: 'co.webhook/webhook' } };
const bodyOf = (era: Era) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: era === 'modern' ? { ...call, _meta: meta } : call,
  });
const headersOf = (era: Era) => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': era === 'modern' ? '2026-07-28' : '2025-11-25',
  ...(era === 'modern' && { 'mcp-method': 'tools/call', 'mcp-name': 'get_agent' }),
});

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function start(name: string): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(import.meta.filename, ['--serve', name]);
  const port = await new Promise<number>((resolve) => child.once('message', (p) => resolve(Number(p))));
  return { child, url: `http://127.0.0.1:${port}/api/mcp` };
}

async function check(url: string, era: Era): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: headersOf(era), body: bodyOf(era) });
  const text = await response.text();
  if (response.status !== 200 || !text.includes('No native ratings')) throw new Error(`${url}: ${text}`);
}

async function main(rounds: number, seconds: number): Promise<void> {
  const names = Object.keys(rungs);
  const started = new Map<string, Awaited<ReturnType<typeof start>>>();
  for (const name of names) started.set(name, await start(name));
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++)
    for (const name of names)
      for (const era of eras) {
        const url = started.get(name)?.url ?? '';
        if (round === 0) await check(url, era);
        const { requests, non2xx } = await autocannon({
          url,
          method: 'POST',
          headers: headersOf(era),
          body: bodyOf(era),
          connections: 16,
          duration: seconds,
        });
        if (non2xx > 0) throw new Error(`${name} ${era}: ${non2xx} answers were not 2xx`);
        // Round 0 warms up.
        if (round > 0)
          rates.set(`${name} ${era}`, [...(rates.get(`${name} ${era}`) ?? []), requests.average]);
      }
  for (const { child } of started.values()) child.kill('SIGKILL');
  const rate = (name: string, era: Era) => median(rates.get(`${name} ${era}`) ?? []);
  console.log(
    `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus()[0]?.model} x ${cpus().length}`,
  );
  console.log(
    `${rounds} rounds of ${seconds} s, 16 connections, medians; share of the floor of the legacy era\n`,
  );
  console.log('| tools/call over HTTP | legacy /s | share | modern /s | share |\n|---|---|---|---|---|');
  const floor = rate(floorName, 'legacy');
  for (const name of names) {
    const cells = eras.map(
      (era) => `${Math.round(rate(name, era))} | ${(rate(name, era) / floor).toFixed(2)}`,
    );
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
}

if (process.argv[2] === '--serve') {
  const { port } = await serveRung(process.argv[3] ?? '');
  process.send?.(port);
} else {
  await main(Number(process.argv[2] ?? 5), Number(process.argv[3] ?? 2));
}
