import { readFile } from 'node:fs/promises';
import { bundleFromJSON, type SerializedBundle } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import { readObject } from '../../../core/json.ts';
import { own, type Words } from '../../../core/words.ts';

/** Copied from @sigstore/tuf 5.0.1; see docs/decisions/packages.md. */
const shippedRoot = new URL('./sigstore-trusted-root.json', import.meta.url);

/** A DER UTF8String, whose length takes one byte up to 127, and else more. */
function toCertificateText(value: Buffer): string | undefined {
  if (value[0] !== 0x0c) return undefined;
  const [, first = 0] = value;
  return value.toString('utf8', first < 0x80 ? 2 : 2 + (first & 0x7f));
}

function repositoryOf({ oids = [] }: NonNullable<ReturnType<Verifier['verify']>['identity']>) {
  // Source Repository URI of Fulcio.
  const found = oids.find(({ oid }) => oid?.id.join('.') === '1.3.6.1.4.1.57264.1.12');
  return found && toCertificateText(Buffer.from(found.value));
}

const unproven = (why: Words) => ({ result: 'unproven' as const, why });

function verify(verifier: Verifier, json: unknown) {
  const bundle = bundleFromJSON(json as SerializedBundle);
  const { identity } = verifier.verify(toSignedEntity(bundle));
  const { content } = bundle;
  const statement =
    content.$case === 'dsseEnvelope' ? readObject(content.dsseEnvelope.payload.toString('utf8')) : undefined;
  if (!statement || !identity) return unproven(own('The signed text is not a statement about a package.'));
  const repository = repositoryOf(identity) || undefined;
  return { result: 'signed' as const, statement, repository, issuer: identity.extensions?.issuer };
}

export type CheckedSignature = ReturnType<typeof verify> | ReturnType<typeof unproven>;

/** Throws if the trusted root cannot be read. The returned check never throws. */
export async function openBundleCheck(path: string) {
  const text = await readFile(path === '' ? shippedRoot : path, 'utf8');
  const verifier = new Verifier(toTrustMaterial(TrustedRoot.fromJSON(JSON.parse(text))));
  return (bundle: unknown) => {
    try {
      return verify(verifier, bundle);
    } catch {
      return unproven(
        own(
          'The signature did not verify with the Sigstore keys that this service has: the signature is wrong, or was made with newer keys.',
        ),
      );
    }
  };
}
