import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DomainDirectory, openDomainDirectory, wellKnown } from '../claims/domain-directory.ts';
import { registryEntry } from '../support/entries.ts';
import { partOf } from '../support/long.ts';
import { onGitHub } from '../support/registry-entries.ts';

const handle = 'com.example/tool';
const name = '_dossier-challenge.example.com';
let directory: DomainDirectory;
beforeEach(async () => {
  directory = await openDomainDirectory(
    [
      registryEntry(handle),
      registryEntry('io.github.bob/tool'),
      registryEntry('org.carol/tool', onGitHub('carol/tool')),
    ],
    ['example.com'],
  );
});
afterEach(() => directory.close());

interface Answer {
  readonly status: string;
  readonly challenge: string;
  readonly capability?: string;
  readonly capability_id?: string;
  readonly capabilities?: readonly { readonly id: string }[];
}

async function ask(of: string, input: Record<string, unknown>): Promise<Answer> {
  const response = await directory.directory.post('/api/tools/claim_agent', { handle: of, ...input });
  return (await response.json()) as Answer;
}

/** One way: of which listing, how its owner puts the line, and how the owner checks. */
interface Way {
  readonly method: string;
  readonly of: string;
  put(challenge: string): void;
  prove?(challenge: string): Record<string, unknown>;
}

function ways(): Way[] {
  const { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject } =
    generateKeyPairSync('ed25519');
  const raw = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url').toString('base64');
  const bob = directory.git.createRepository('bob/bob');
  const carol = directory.git.createRepository('carol/tool');
  return [
    { method: 'well_known', of: handle, put: (line) => void directory.web.files.set(wellKnown, line) },
    { method: 'dns', of: handle, put: (line) => directory.setTxt(name, line) },
    {
      method: 'registry_key',
      of: handle,
      put: () => directory.setTxt('example.com', `v=MCPv1; k=ed25519; p=${raw}`),
      prove: (challenge) => ({
        challenge,
        signature: sign(null, Buffer.from(challenge), privateKey).toString('hex'),
      }),
    },
    {
      method: 'profile_repository',
      of: 'io.github.bob/tool',
      put: (line) => void bob.commit({ 'dossier-claim.txt': line }),
    },
    {
      method: 'repository',
      of: 'org.carol/tool',
      put: (line) => void carol.commit({ 'dossier-claim.txt': line }),
    },
  ];
}

it.each([0, 1, 2, 3, 4])(
  '1,000 thieves who poll while the owner proves get no secret that works (way %#)',
  async (at) => {
    const { method, of, put, prove } = ways()[at] as Way;
    const thieves: Answer[] = [];
    const crowd = async (count: number) => {
      thieves.push(...(await Promise.all(Array.from({ length: count }, () => ask(of, { method })))));
    };
    await crowd(250);
    const owner = await ask(of, { method });
    await crowd(250);
    directory.directory.wait(31);
    const during = crowd(250);
    put(owner.challenge);
    if (prove) await ask(of, prove(owner.challenge));
    await during;
    directory.directory.wait(31);
    if (prove) await ask(of, prove(owner.challenge));
    await crowd(250);
    const stolen = thieves.flatMap(({ capability }) => capability ?? []);
    expect(thieves).toHaveLength(1000);
    expect(new Set(stolen).size).toBe(stolen.length);
    for (const { status, capability } of thieves)
      if (status === 'claimed') expect(capability).toBeUndefined();
    expect(stolen.length).toBeGreaterThanOrEqual(500);
    const standing = await Promise.all(stolen.map((capability) => directory.standing(capability)));
    expect(standing.filter((one) => one !== 'capability_invalid')).toEqual([]);
    expect(await directory.standing(owner.capability ?? '')).toBe('200');
    expect(thieves.at(-1)).toMatchObject({ status: 'claimed', capabilities: [{ id: owner.capability_id }] });
    expect(await directory.history(of)).toHaveLength(1);
  },
);

it('a signature that was seen is worth nothing to anyone else, and a thief cannot sign', async () => {
  const [, , way] = ways();
  if (!way?.prove) throw new Error('no way');
  way.put('');
  const owner = await ask(handle, { method: 'registry_key' });
  const thief = await ask(handle, { method: 'registry_key' });
  const seen = way.prove(owner.challenge);
  directory.directory.wait(31);
  expect(await ask(handle, { challenge: thief.challenge, signature: seen.signature })).toMatchObject({
    status: 'not_proven',
    reason: 'signature_invalid',
  });
  expect(await ask(handle, seen)).toMatchObject({
    status: 'claimed',
    capabilities: [{ id: owner.capability_id }],
  });
  expect(await ask(handle, { ...seen, rotate: true })).not.toHaveProperty('capability');
  expect(await directory.standing(thief.capability ?? '')).toBe('capability_invalid');
});

const signatures = partOf(300, 1000);
it(`${signatures} signatures that are wrong cause no lookups of their own`, async () => {
  const [, , way] = ways();
  way?.put('');
  const { challenge } = await ask(handle, { method: 'registry_key' });
  await ask(handle, { method: 'registry_key' });
  const before = directory.dns[0].asked.length + directory.web.requests.length;
  const wrong = { challenge, signature: Buffer.alloc(64).toString('base64') };
  const answers = await Promise.all(Array.from({ length: signatures }, () => ask(handle, wrong)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['not_proven']));
  expect(directory.dns[0].asked.length + directory.web.requests.length).toBe(before);
});

it('who forges the answers of one DNS server can neither claim nor end a claim', async () => {
  const [forged, honest] = directory.dns;
  const thief = await ask(handle, { method: 'dns' });
  forged.zone.set(name, [thief.challenge]);
  directory.directory.wait(31);
  expect(await ask(handle, { method: 'dns' })).toMatchObject({
    status: 'not_proven',
    reason: 'dns_disagree',
  });
  const owner = await ask(handle, { method: 'dns' });
  for (const { zone } of [forged, honest]) zone.set(name, [owner.challenge]);
  directory.directory.wait(31);
  expect(await ask(handle, { method: 'dns' })).toMatchObject({ status: 'claimed' });
  forged.zone.set(name, [thief.challenge]);
  directory.directory.wait(31);
  expect(await ask(handle, { method: 'dns' })).toMatchObject({ status: 'claimed', changed: 'none' });
  expect(await directory.standing(owner.capability ?? '')).toBe('200');
  expect(await directory.standing(thief.capability ?? '')).toBe('capability_invalid');
});

it('a domain that redirects to another, or that another listing names, proves nothing', async () => {
  const issued = await ask(handle, { method: 'well_known' });
  directory.web.fault = (_request, response) =>
    void response.writeHead(302, { location: 'https://thief.example/.well-known/dossier-claim.txt' }).end();
  directory.directory.wait(31);
  expect(await ask(handle, { method: 'well_known' })).toMatchObject({ reason: 'redirect_refused' });
  directory.web.fault = undefined;
  await directory.directory.importEntries([registryEntry(handle), registryEntry('com.example.evil/tool')]);
  const other = await ask('com.example.evil/tool', { method: 'dns' });
  directory.web.files.set(wellKnown, other.challenge);
  directory.directory.wait(31);
  expect(await ask(handle, { method: 'well_known' })).toMatchObject({ reason: 'challenge_foreign' });
  expect(await directory.standing(issued.capability ?? '')).toBe('capability_invalid');
});
