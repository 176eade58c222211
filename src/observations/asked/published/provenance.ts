import { asMembers } from '../../../core/json.ts';
import { type NoAnswer, toRegistered } from '../../../net/answer.ts';
import type { CheckRun } from '../run.ts';
import { memberOf, type Published } from './document.ts';
import { isAttested, npmPath } from './npm.ts';
import { filesOf } from './pypi.ts';
import type { RecordedPackage } from './recorded.ts';

/** The Sigstore bundle must name the digest of the published file. */
export interface ServedProvenance {
  readonly result: 'served';
  readonly bundle: unknown;
  readonly digest: { readonly algorithm: 'sha512' | 'sha256'; readonly hex: string };
  readonly source_url: string;
}

/** `absent`: HTTP 404 or 410. `none`: no provenance that Dossier reads. */
type Served = ServedProvenance | NoAnswer | 'none' | 'absent';

const slsaProvenance = /^https:\/\/slsa\.dev\/provenance\//;

const itemsOf = (list: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(list) ? list.slice(0, 20).map(asMembers) : [];

const toHex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

async function ofNpm(run: CheckRun, { name }: RecordedPackage, published: Published): Promise<Served> {
  const { version, document } = published;
  if (!isAttested(document)) return 'none';
  const answer = toRegistered(
    await run.registry('npm', `/-/npm/v1/attestations${npmPath(name)}@${version}`),
    ({ attestations }) => Array.isArray(attestations),
  );
  if (answer.result === 'absent') return 'absent';
  if (answer.result !== 'document') return answer;
  const found = itemsOf(answer.document.attestations).find(({ predicateType }) =>
    slsaProvenance.test(String(predicateType)),
  );
  if (!found) return 'none';
  const integrity = /(?:^|\s)sha512-([A-Za-z\d+/=]+)/.exec(String(memberOf(document, 'dist').integrity));
  const digest = { algorithm: 'sha512' as const, hex: toHex(integrity?.[1] ?? '') };
  return { result: 'served', bundle: found.bundle, digest, source_url: answer.response.url };
}

/** Of an attestation of PyPI (PEP 740). */
function toBundle(attestation: unknown): unknown {
  const { certificate, transparency_entries } = memberOf(attestation, 'verification_material');
  const { statement, signature } = memberOf(attestation, 'envelope');
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { certificate: { rawBytes: certificate }, tlogEntries: transparency_entries },
    dsseEnvelope: {
      payload: statement,
      payloadType: 'application/vnd.in-toto+json',
      signatures: [{ sig: signature, keyid: '' }],
    },
  };
}

async function ofPypi(run: CheckRun, { name }: RecordedPackage, published: Published): Promise<Served> {
  const { version, document } = published;
  const [file] = filesOf(document);
  const filename = String(file?.filename ?? '');
  if (!/^[\w.+!-]{1,300}$/.test(filename)) return 'none';
  const answer = toRegistered(
    await run.registry('pypi', `/integrity/${name}/${version}/${filename}/provenance`),
    ({ attestation_bundles }) => Array.isArray(attestation_bundles),
  );
  if (answer.result === 'absent') return 'absent';
  if (answer.result !== 'document') return answer;
  const [first] = itemsOf(answer.document.attestation_bundles);
  const [attestation] = itemsOf(first?.attestations);
  if (!attestation) return 'none';
  const digest = { algorithm: 'sha256' as const, hex: String(memberOf(file, 'digests').sha256) };
  return { result: 'served', bundle: toBundle(attestation), digest, source_url: answer.response.url };
}

export const readProvenance = (
  run: CheckRun,
  recorded: RecordedPackage,
  published: Published,
): Promise<Served> =>
  recorded.type === 'npm' ? ofNpm(run, recorded, published) : ofPypi(run, recorded, published);
