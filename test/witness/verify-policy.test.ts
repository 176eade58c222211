import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toLeaf } from '../../src/log/leaf.ts';
import { runDossier } from '../support/command.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { openWitness } from '../support/witnesses.ts';

const time_s = 1_790_000_000;
const one = openWitness('one.example/w', 4, 1);
const two = openWitness('two.example/w', 6, 2);
const three = openWitness('three.example/w', 4, 3);
const foreign = openWitness('one.example/w', 4, 9);

let folder: string;
let directory: Directory;
let checkpoint: string;
let proof: Record<string, string>;
let logKey: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dossier-policy-'));
  directory = await openDirectory();
  await directory.store.write(async (tx) => {
    for (let at = 0; at < 5; at++) await tx.log.append(toLeaf('rating.submitted', { at }));
  });
  const text = async (path: string) => (await directory.app.request(path)).text();
  checkpoint = await text('/log/checkpoint');
  logKey = (await text('/log/key')).trim();
  const answer = await directory.app.request('/api/tools/get_proof', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"log_index":3}',
  });
  proof = (await answer.json()) as Record<string, string>;
});
afterAll(async () => {
  await directory.close();
  await rm(folder, { recursive: true });
});

const save = async (name: string, content: string) => {
  await writeFile(join(folder, name), content);
  return join(folder, name);
};
const policyOf = (...lines: string[]) =>
  save(
    'policy',
    [
      '# who must have seen the log',
      `log ${logKey}`,
      `witness one ${one.vkey}`,
      `\twitness  two ${two.vkey} https://two.example/`,
      `witness three ${three.vkey}`,
      'group quorate 2 one two three',
      ...(lines.length > 0 ? lines : ['quorum quorate']),
      '',
    ].join('\n'),
  );
async function verifyProof(...cosignatures: string[]) {
  const policy = await policyOf();
  const saved = { ...proof, proof: `${proof.proof}${cosignatures.join('')}` };
  const ended = await runDossier(
    ['verify', await save('proof.json', JSON.stringify(saved)), '--policy', policy],
    {},
  );
  return { code: ended.code, lines: ended.stdout.split('\n').slice(3, -1), stderr: ended.stderr };
}

describe('dossier verify --policy', () => {
  it('accepts a proof that two of three witnesses cosigned, with Ed25519 and ML-DSA-44', async () => {
    expect(await verifyProof(one.cosign(checkpoint, time_s), two.cosign(checkpoint, time_s + 1))).toEqual({
      code: 0,
      stderr: '',
      lines: [
        'holds  the policy names the log of this key',
        'holds  witness one cosigned on 2026-09-21T14:13:20Z',
        'holds  witness two cosigned on 2026-09-21T14:13:21Z',
        'holds  the policy wants 2 of one, two, three: cosigned by one, two',
        'note   witness three has not cosigned',
      ],
    });
  });
  it('ends with 3 where cosignatures are missing', async () => {
    expect(await verifyProof(three.cosign(checkpoint, time_s))).toMatchObject({
      code: 3,
      stderr: 'verify: fewer witnesses cosigned than the policy wants\n',
      lines: [
        'holds  the policy names the log of this key',
        'holds  witness three cosigned on 2026-09-21T14:13:20Z',
        'FAILS  the policy wants 2 of one, two, three: too few, cosigned by three',
        'note   witness one has not cosigned',
        'note   witness two has not cosigned',
      ],
    });
    expect((await verifyProof()).lines[1]).toBe(
      'FAILS  the policy wants 2 of one, two, three: too few, no witness of the policy cosigned',
    );
  });
  it('counts a witness once, however often it cosigned', async () => {
    const twice = await verifyProof(one.cosign(checkpoint, time_s), one.cosign(checkpoint, time_s + 9));
    expect(twice.code).toBe(3);
    expect(twice.lines).toContain('note   witness one is in 2 lines and counts once');
  });
  it('ignores a key that the policy does not name, even under the name of one that it does', async () => {
    const { code, lines } = await verifyProof(
      foreign.cosign(checkpoint, time_s),
      two.cosign(checkpoint, time_s),
    );
    expect(code).toBe(3);
    expect(lines).toContain(
      'note   cosignatures of keys that the policy does not name: 1; they do not count',
    );
  });
  it.each([
    ['another tree', () => one.cosign(checkpoint.replace('\n5\n', '\n6\n'), time_s)],
    ['another tree', () => two.cosign(checkpoint.replace('\n5\n', '\n6\n'), time_s)],
  ])('ends with 1 for a cosignature of %s, though the others are enough', async (_, wrong) => {
    const lines = [one, two, three].map((witness) => witness.cosign(checkpoint, time_s));
    const ended = await verifyProof(...lines, wrong());
    expect([ended.code, ended.stderr]).toEqual([1, 'verify: at least one check failed\n']);
    expect(ended.lines.filter((line) => line.startsWith('FAILS'))).toHaveLength(1);
    expect(ended.lines.find((line) => line.startsWith('FAILS'))).toMatch(
      /cosignature of witness \w+ is wrong/,
    );
  });
  it('ends with 1 for a time that was changed', async () => {
    const [, name, encoded = ''] = one.cosign(checkpoint, time_s).trim().split(' ');
    const bytes = Buffer.from(encoded, 'base64');
    bytes.writeUInt8((bytes[11] ?? 0) ^ 1, 11);
    expect((await verifyProof(`\u2014 ${name} ${bytes.toString('base64')}\n`)).lines).toContain(
      'FAILS  the cosignature of witness one is wrong',
    );
  });
});

describe('a policy', () => {
  const verifyCheckpoint = async (policy: string, text = checkpoint) =>
    runDossier(['verify', '--checkpoint', await save('checkpoint', text), '--policy', policy], {});
  it('is met by groups of groups, and names the key of the log', async () => {
    const policy = await policyOf('group pair any one two', 'group both all pair three', 'quorum both').catch(
      () => '',
    );
    expect(await verifyCheckpoint(policy)).toMatchObject({ code: 74 });
    const nested = await save(
      'nested',
      [
        `log ${logKey}`,
        ...[one, two, three].map(({ vkey }, at) => `witness w${at} ${vkey}`),
        'group pair any w0 w1',
        'group both all pair w2',
        'quorum both',
      ].join('\n'),
    );
    const lines = [two, three].map((witness) => witness.cosign(checkpoint, time_s)).join('');
    const ended = await verifyCheckpoint(nested, checkpoint + lines);
    expect([ended.code, ended.stdout.split('\n')[0]]).toEqual([
      0,
      'holds  the checkpoint of 127.0.0.1:3000/log at 5 entries is signed by this key',
    ]);
    expect((await verifyCheckpoint(nested, checkpoint + three.cosign(checkpoint, time_s))).code).toBe(3);
  });
  it('of other logs is told', async () => {
    const other = await save('other', `log ${logKey.replace(/\+.*/, '')}x+00000000+AAAA\nquorum none\n`);
    expect(await verifyCheckpoint(other)).toMatchObject({
      code: 74,
      stderr: expect.stringContaining('line 1: a log is "log <key> [<url>]"'),
    });
    const none = await save('none', 'quorum none\n');
    expect((await verifyCheckpoint(none)).code).toBe(64);
    const path = await save('bare.json', JSON.stringify(proof));
    const ended = await runDossier(['verify', path, '--policy', none], {});
    expect([ended.code, ended.stdout.split('\n')[3]]).toEqual([0, 'holds  the policy wants no cosignature']);
  });
  it.each([
    [['quorum nobody'], 'line 7: no line above defines "nobody"'],
    [['group g 3 quorate', 'quorum g'], 'line 7: a group needs all, any, or a number from 1'],
    [['group g all one', 'quorum g'], 'line 7: "one" is a member already'],
    [['quorum quorate', 'quorum one'], 'line 8: a policy has exactly one line "quorum <name>"'],
    [['constructor'], 'line 7: a line begins with log, witness, group or quorum'],
    [['witness none x'], 'line 7: "none" is no name, or is in use already'],
    [[`witness again ${one.vkey}`], 'line 7: this witness’s key is listed twice'],
    [['witness bad one.example+00000000+AAAA'], 'line 7: a witness is "witness <name> <key> [<url>]"'],
    [['# nothing more'], 'a policy has exactly one line "quorum <name>"'],
  ])('with %j is refused with its line', async (lines, message) => {
    const { code, stderr } = await verifyCheckpoint(await policyOf(...lines));
    expect(code).toBe(74);
    expect(stderr).toContain(`not a policy of logs and witnesses: ${message}`);
  });
});
