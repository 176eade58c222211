import { fork } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Running } from '../../src/app/server.ts';
import type { Context } from '../../src/context.ts';
import { claimableListing, putListings } from '../claims/claim-directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { createGitServer, type GitServer } from '../support/git-server.ts';
import { createNodes, type Nodes, post } from '../support/nodes.ts';
import { operationsOf } from '../support/operations.ts';

interface Answer {
  readonly status: string;
  readonly changed?: string;
  readonly challenge?: string;
  readonly check: { readonly result: string; readonly retry_after_s?: number };
}

const handle = 'co.webhook/webhook';
const leaseName = `check/${handle} repository github.com/webhook-co/webhook`;
const file = 'dossier-claim.txt';
let git: GitServer;
let nodes: Nodes;
let one: Running;
let two: Running;
let settings: Record<string, string>;
beforeEach(async () => {
  git = await createGitServer();
  nodes = await createNodes();
  settings = {
    LIMITS: 'off',
    PUBLIC_URL: 'https://dossier.example',
    REPOSITORY_HOSTS: JSON.stringify({ 'github.com': { git: git.url, raw: `${git.url}/raw` } }),
  };
  [one, two] = [await nodes.open(settings), await nodes.open(settings)];
  await putListings(one.context.store, claimableListing(1, handle, 'https://github.com/webhook-co/webhook'));
});
afterEach(async () => {
  await nodes.close();
  await git.close();
});

const ask = async ({ url }: Running): Promise<Answer> =>
  (await (await post(`${url}/api/claim-github`, { handle })()).json()) as Answer;
const askTwenty = () => Promise.all(Array.from({ length: 20 }, (_, at) => ask(at % 2 === 0 ? one : two)));
/** Number of checks: requests for a repository's HEAD. */
const checks = () => git.requests.filter((request) => request.endsWith('git-upload-pack')).length;

describe('a claim requested at two nodes', () => {
  it('is checked twice at first and then once in 30 seconds, however often both are called', async () => {
    const repository = git.createRepository('webhook-co/webhook');
    repository.commit({ 'README.md': 'Webhook\n' });
    // Twenty requests wait for the first check, and it serves them all. It cannot begin before the last of
    // them waits, because the test has its lease: two of them, one at each node, wait for the lease, and the
    // others for these two. Whoever asks after that check gets the second one.
    const found = [one, two].map(({ context }) => vi.spyOn(context.runningChecks, 'get'));
    const joined = () => found.flatMap(({ mock }) => mock.results.filter(({ value }) => value !== undefined));
    const lease = await one.context.store.leases.take(leaseName);
    const asked = askTwenty();
    await expect.poll(joined).toHaveLength(18);
    expect(checks()).toBe(0);
    await lease?.release();
    const first = await asked;
    expect(checks()).toBe(1);
    expect(new Set(first.map(({ challenge }) => challenge)).size).toBe(20);
    expect(new Set(first.map(({ check }) => check.retry_after_s))).toEqual(new Set([undefined]));
    const second = await askTwenty();
    expect(checks()).toBe(2);
    const waits = second.map(({ check }) => check.retry_after_s);
    expect(waits.filter((wait) => wait === undefined)).toHaveLength(1);
    expect(waits.filter((wait) => wait === 30)).toHaveLength(19);

    repository.commit({ [file]: `${first[1]?.challenge}\n` });
    nodes.wait(20);
    expect(await ask(two)).toMatchObject({ status: 'challenge_issued', check: { retry_after_s: 10 } });
    expect(await ask(one)).toMatchObject({ status: 'challenge_issued', check: { retry_after_s: 10 } });
    nodes.wait(10);
    expect(await ask(two)).toMatchObject({ status: 'claimed', changed: 'activated' });
    expect(await ask(one)).toMatchObject({ status: 'claimed', changed: 'none', check: { result: 'proven' } });
    expect(checks()).toBe(3);
    expect(await one.context.store.claims.history(handle)).toHaveLength(1);
  });

  it('is checked again at once after its repository changed', async () => {
    git.createRepository('webhook-co/webhook').commit({ 'README.md': 'Webhook\n' });
    git.createRepository('webhook-co/new').commit({ 'README.md': 'Webhook\n' });
    await ask(one);
    await putListings(one.context.store, claimableListing(1, handle, 'https://github.com/webhook-co/new'));
    await ask(two);
    expect(checks()).toBe(2);
  });

  it('is checked by the other node when the checking node is killed', async () => {
    git.createRepository('webhook-co/webhook').commit({ 'README.md': 'Webhook\n' });
    const node = fork(new URL('../claims/claim-node.ts', import.meta.url), [nodes.databaseUrl, git.url], {
      execArgv: [],
    });
    await once(node, 'message');
    git.fault = () => true;
    node.send(nodes.now().toISOString());
    await expect.poll(checks).toBe(1);
    git.fault = undefined;
    const asked = ask(two);
    await expect.poll(() => two.context.store.leases.find(leaseName)).toMatchObject({ isHeld: true });
    node.kill('SIGKILL');
    await once(node, 'exit');
    await editDatabase(nodes.databaseUrl, 'update lease set renewed_at = renewed_at - 10000');
    expect(await asked).toMatchObject({ status: 'challenge_issued', check: { result: 'file_absent' } });
    expect(checks()).toBe(2);
  });

  it('is not waited for longer than a request lasts while another node hangs in it', async () => {
    await using lease = await one.context.store.leases.take(leaseName);
    const hurried = await nodes.open(settings, { request_ms: 1000, requestHeaders_ms: 500 });
    expect(await ask(hurried)).toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('Another node of this service is checking this location.'),
    });
    expect([lease?.owner, checks()]).toEqual([expect.any(String), 0]);
  });
});

describe('the re-check of two nodes', () => {
  const count = 10;
  const names = Array.from({ length: count }, (_, at) => `n${at}`);
  beforeEach(async () => {
    for (const [at, name] of names.entries()) {
      git.createRepository(`many/${name}`).commit({ 'README.md': 'one of many\n' });
      await putListings(
        one.context.store,
        claimableListing(at + 2, `many/${name}`, `https://github.com/many/${name}`),
      );
    }
    const checked_at = new Date(nodes.now().getTime() - 2 * 86_400_000).toISOString();
    await one.context.store.write(async (tx) => {
      for (const name of names)
        await tx.claims.putClaim({
          handle: `many/${name}`,
          state: 'claimed',
          claimed_at: checked_at,
          kind: 'repository',
          place: `https://github.com/many/${name}`,
          place_key: `github.com/many/${name}`,
          root: 'github.com/many',
          root_generation: 0,
          first_proved_at: checked_at,
          checked_at,
          // The first of two readings.
          missing: { line: checked_at },
        });
    });
  });
  const both = () => [one, two].map(({ context }) => ({ ...context, clock: nodes.now }) satisfies Context);

  it('checks each claim once, in parallel or one after the other', async () => {
    await Promise.all(both().map((context) => operationsOf(context).recheck()));
    expect(checks()).toBe(count);
    for (const context of both()) expect(await operationsOf(context).recheck()).toBe(0);
    expect(checks()).toBe(count);
    const standing = await one.context.store.claims.claimed('', 100);
    expect(standing.map(({ suspended_reason }) => suspended_reason)).toEqual(
      Array(count).fill('proof_missing'),
    );
  });

  it('requests a failing host once a pass, not once a node', async () => {
    git.fault = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    const [first, second] = both();
    expect(await operationsOf(first as Context).recheck()).toBe(count);
    const asked = git.requests.length;
    nodes.wait(600);
    expect(await operationsOf(second as Context).recheck()).toBe(0);
    expect(git.requests.length).toBe(asked);
    // A quarter of CLAIM_RECHECK, and a fifth of that.
    nodes.wait(26_000);
    expect(await operationsOf(first as Context).recheck()).toBe(count);
    expect(git.requests.length).toBe(2 * asked);
  });
});
