import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { ratingOf } from '../support/ratings.ts';
import { publishLines } from '../support/receipts.ts';
import { onGitHub } from '../support/registry-entries.ts';

let directory: ClaimedDirectory;
let rater: string;
let example: ChildProcess;
let url = '';

beforeAll(async () => {
  const entries = [...seedEntries, registryEntry('com.rater/api', onGitHub('rater/api'))];
  directory = await openClaimedDirectory({ entries });
  rater = await directory.claim('com.rater/api', 'rater/api');
  await directory.claim('co.webhook/webhook', 'webhook-co/webhook');
  const args = ['--conditions=dossier-source', 'docs/examples/receipts/server.ts'];
  const env = { PATH: process.env.PATH, HANDLE: 'co.webhook/webhook' };
  example = spawn('node', args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of example.stdout ?? []) {
    output += String(chunk);
    if (output.includes('listening on ')) break;
  }
  url = /listening on (\S+)/.exec(output)?.[1] ?? '';
  await publishLines(directory, [output.split('\n')[0] ?? '']);
});
afterAll(async () => {
  example.kill('SIGTERM');
  await once(example, 'close');
  await directory.close();
});

const submit = async (receipt: string) => {
  const { jti, iat = 0 } = decodeJwt(receipt);
  const rating = ratingOf('co.webhook/webhook', {
    interaction_id: jti,
    interaction_at: new Date(iat * 1000).toISOString(),
    proof: { kind: 'service_receipt', value: receipt },
  });
  return (await directory.post('/api/tools/submit_rating', rating, rater)).json();
};

it('the receipt of a call of the example server is the proof of a rating', async () => {
  const client = new Client({ name: 'rater', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  const { _meta = {} } = await client.callTool({
    name: 'get_quote',
    arguments: { symbol: 'ABC' },
    _meta: { 'dossier/rater': 'com.rater/api' },
  });
  await client.close();
  expect(await submit(String(_meta['dossier/receipt']))).toMatchObject({
    status: 'created',
    proof_class: 'service_receipt',
  });
});

const quote = () => fetch(`${url}/quote?symbol=ABC`, { headers: { 'Dossier-Rater': 'com.rater/api' } });

it('so is the receipt of its plain HTTP endpoint', async () => {
  const response = await quote();
  expect(await response.json()).toEqual({ symbol: 'ABC', price: '3.00' });
  expect(await submit(String(response.headers.get('dossier-receipt')))).toMatchObject({
    status: 'created',
    proof_class: 'service_receipt',
  });
});

it('the example program checks a receipt with the JSON of the listing alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-receipt-'));
  const listing = await directory.app.request('/agents/co.webhook/webhook.json');
  writeFileSync(join(folder, 'listing.json'), await listing.text());
  const receipt = (await quote()).headers.get('dossier-receipt') ?? '';
  const program = ['--conditions=dossier-source', resolve('docs/examples/receipts/check-receipt.ts')];
  const check = (rater: string) =>
    promisify(execFile)('node', [...program, receipt, rater], {
      cwd: folder,
      env: { PATH: process.env.PATH },
    });
  const { jti } = decodeJwt(receipt);
  expect((await check('com.rater/api')).stdout).toBe(
    `co.webhook/webhook confirms ${jti} with com.rater/api\n`,
  );
  await expect(check('com.other/api')).rejects.toMatchObject({
    stderr: expect.stringContaining("code: 'proof_not_yours'") as string,
  });
  rmSync(folder, { recursive: true });
});
