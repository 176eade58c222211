import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { signatureHeaders } from 'http-message-sig';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Moderation } from '../../src/evidence/moderation/moderation.ts';
import { block } from '../../src/moderation/actions/block.ts';
import { applyAction, undoAction } from '../../src/moderation/apply-action.ts';
import { type Endpoint, startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { type Answered, openRatedDirectory, type RatedDirectory } from '../support/rating-doors.ts';

const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ed25519');
const jwkOf = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ format: 'jwk' });
const { crv, kty, x } = jwkOf(ed25519);
const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
const digest = `sha-256=:${createHash('sha256').update('{"ok":true}').digest('base64')}:`;
const components = '("@status" "content-digest" "@authority";req "@path";req)';

let directory: RatedDirectory;
let host: Endpoint;
let published: unknown = {};
/** Called before the host answers for its keys. */
let whileReading = async () => {};

beforeAll(async () => {
  host = await startEndpoint(async (_body, request, response) => {
    await whileReading();
    if (request.url !== '/.well-known/http-message-signatures-directory') response.writeHead(404).end();
    else response.writeHead(200).end(JSON.stringify(published));
  });
  directory = await openRatedDirectory('an MCP client', {
    HOST_OVERRIDES: JSON.stringify({ 'mcp.webhook.co': host.url, 'mcp.rater.example': 'http://127.0.0.1:1' }),
  });
  published = {
    keys: [
      jwkOf(ed25519),
      { ...jwkOf(p256), kid: 'p256' },
      { ...jwkOf(stranger), kid: 'ended', exp: seconds(3600) },
      { ...jwkOf(stranger), kid: 'later', nbf: seconds(-3600) },
    ],
  };
});
afterAll(async () => {
  await directory.close();
  await host.close();
});

const seconds = (ago: number) => Math.floor(Date.parse(directory.at(-ago)) / 1000);

interface Signed {
  readonly authority?: string;
  readonly path?: string;
  readonly status?: number;
  readonly parameters?: string;
  readonly covered?: string;
  readonly key?: KeyObject;
}

/** Signs a response as RFC 9421 section 2.5 says, line by line. */
function signResponse({
  authority = 'mcp.webhook.co',
  path = '/mcp',
  status = 200,
  parameters = `;created=${seconds(60)};keyid="${thumbprint}";alg="ed25519"`,
  covered = components,
  key = ed25519.privateKey,
}: Signed = {}) {
  const lines: Record<string, string> = {
    '"@status"': String(status),
    '"content-digest"': digest,
    '"@authority";req': authority,
    '"@path";req': path,
  };
  const names = covered.slice(1, -1).split(' ');
  const base = [
    ...names.map((name) => `${name}: ${lines[name]}`),
    `"@signature-params": ${covered}${parameters}`,
  ];
  const algorithm = key.asymmetricKeyType === 'ec' ? 'sha256' : null;
  const signature = sign(algorithm, Buffer.from(base.join('\n')), { key, dsaEncoding: 'ieee-p1363' });
  return {
    signature_input: `sig1=${covered}${parameters}`,
    signature: `sig1=:${signature.toString('base64')}:`,
    ...{ status, content_digest: digest, authority, path },
  };
}

const submit = (value: object | string, as = directory.rater, change: object = {}): Promise<Answered> =>
  directory.call(
    'submit_rating',
    {
      ...directory.rating(change),
      proof: { kind: 'http_signature', value: typeof value === 'string' ? value : JSON.stringify(value) },
    },
    as,
  );

describe('a signed response', () => {
  it('of a source that the operator blocks while the host is asked for its keys is refused', async () => {
    const [at, reason] = [directory.at(0), 'repeated'] as const;
    const target = { target_kind: 'namespace', target: 'com.third' } as const;
    const blocked = Promise.withResolvers<Moderation>();
    whileReading = async () => {
      const act = directory.store.write((tx) => applyAction(tx, block, { target, at, reason }));
      blocked.resolve(await act);
    };
    expect(await submit(signResponse(), directory.third)).toMatchObject({ code: 'writing_blocked' });
    const standing = await blocked.promise;
    await directory.store.write((tx) => undoAction(tx, block, { standing, at, reason: 'mistake' }));
  });

  it('by a key that the host publishes is checked and counted apart', async () => {
    for (const value of [
      signResponse(),
      signResponse({ parameters: `;created=${seconds(60)};keyid="p256"`, key: p256.privateKey }),
      signResponse({ path: '/mcp/below', status: 503 }),
    ])
      expect(await submit(value)).toMatchObject({ status: 'created', proof_class: 'http_signature' });
    const { signals } = (await directory.call('get_agent', {
      handle: 'co.webhook/webhook',
      detail: 'full',
    })) as unknown as { signals: { native: { proof_meanings: object; independent: { by_proof: object } } } };
    expect(signals.native.independent.by_proof).toMatchObject({ http_signature: 3 });
    expect(signals.native.proof_meanings).toEqual({
      http_signature:
        'The host of a recorded endpoint signed an answer to a request for that endpoint; not who sent the request, and not that the source did.',
    });
  });

  it('as the library http-message-sig signs it is checked', async () => {
    const req = new Map([['req', true]]);
    const headers = await signatureHeaders(
      {
        request: { method: 'POST', url: 'https://mcp.webhook.co/mcp', headers: {} },
        response: { status: 200, headers: { 'content-digest': digest } },
      },
      {
        components: [
          '@status',
          'content-digest',
          { name: '@authority', parameters: req },
          { name: '@path', parameters: req },
        ],
        created: new Date(directory.at(-30)),
        signer: {
          keyid: thumbprint,
          alg: 'ed25519',
          sign: (data) => sign(null, Buffer.from(data), ed25519.privateKey),
        },
      },
    );
    expect(
      await submit({
        ...signResponse(),
        signature_input: headers['Signature-Input'],
        signature: headers.Signature,
      }),
    ).toMatchObject({ status: 'created' });
  });

  it('counts once, whoever sends it first: two raters and four ratings at once', async () => {
    const value = signResponse({ parameters: `;created=${seconds(61)};keyid="${thumbprint}";nonce="raced"` });
    const answers = await Promise.all(
      [directory.rater, directory.third, directory.rater, directory.third].map((as) => submit(value, as)),
    );
    expect(answers.filter(({ status }) => status === 'created')).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'proof_reused')).toHaveLength(3);
  });

  it.each<[string, string, () => object]>([
    ['of another host', 'proof_wrong_subject', () => signResponse({ authority: 'mcp.rater.example' })],
    ['of another path', 'proof_wrong_subject', () => signResponse({ path: '/mcpx' })],
    ['of a path that climbs', 'proof_invalid', () => signResponse({ path: '/mcp/../else' })],
    ['by a key of nobody', 'proof_invalid', () => signResponse({ key: stranger.privateKey })],
    [
      'under a name that the host does not publish',
      'proof_key_unknown',
      () => signResponse({ parameters: `;created=${seconds(60)};keyid="other"` }),
    ],
    [
      'by a key that had ended',
      'proof_key_unknown',
      () => signResponse({ parameters: `;created=${seconds(60)};keyid="ended"`, key: stranger.privateKey }),
    ],
    [
      'by a key that begins later',
      'proof_key_unknown',
      () => signResponse({ parameters: `;created=${seconds(60)};keyid="later"`, key: stranger.privateKey }),
    ],
    [
      'of two days before the interaction',
      'proof_expired',
      () => signResponse({ parameters: `;created=${seconds(2 * 86_400)};keyid="${thumbprint}"` }),
    ],
    [
      'whose signature has expired',
      'proof_expired',
      () =>
        signResponse({ parameters: `;created=${seconds(60)};expires=${seconds(30)};keyid="${thumbprint}"` }),
    ],
    ['without a time', 'proof_invalid', () => signResponse({ parameters: `;keyid="${thumbprint}"` })],
    [
      'with the algorithm of another curve',
      'proof_invalid',
      () =>
        signResponse({ parameters: `;created=${seconds(60)};keyid="${thumbprint}";alg="ecdsa-p256-sha256"` }),
    ],
    [
      'that covers no address',
      'proof_invalid',
      () => signResponse({ covered: '("@status" "content-digest")' }),
    ],
    [
      'that covers the authority of the response instead',
      'proof_invalid',
      () => ({
        ...signResponse(),
        signature_input: `sig1=("@status" "content-digest" "@authority" "@path")`,
      }),
    ],
    ['with another status', 'proof_invalid', () => ({ ...signResponse(), status: 500 })],
    ['with another digest', 'proof_invalid', () => ({ ...signResponse(), content_digest: 'sha-256=:AAAA:' })],
    [
      'with lines in its digest',
      'proof_invalid',
      () => ({ ...signResponse(), content_digest: `${digest}\n"@authority";req: mcp.webhook.co` }),
    ],
    ['without a member', 'proof_invalid', () => ({ ...signResponse(), path: undefined })],
    ['with a status in text', 'proof_invalid', () => ({ ...signResponse(), status: '200' })],
    [
      'with two signatures',
      'proof_invalid',
      () => ({ ...signResponse(), signature_input: 'a=("x"), b=("x")' }),
    ],
    ['that is no structured field', 'proof_invalid', () => ({ ...signResponse(), signature_input: '((' })],
  ])('%s is refused: %s', async (_, code, value) => {
    expect(await submit(value())).toMatchObject({ code });
  });

  it('of a host whose directory cannot be read is refused, and the message says why', async () => {
    const value = signResponse({ authority: 'mcp.rater.example' });
    const answer = await submit(value, directory.subject, { handle: 'com.rater/api' });
    expect(answer).toMatchObject({
      code: 'proof_key_unknown',
      message: expect.stringContaining('(host_unreachable)'),
    });
  });

  it('asks the host for its keys once, not for every rating', () => {
    expect(host.sent.map(({ path }) => path)).toEqual(['/.well-known/http-message-signatures-directory']);
  });
});
