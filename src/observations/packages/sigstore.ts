import { readFile } from 'node:fs/promises';
import { bundleFromJSON, type SerializedBundle } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import { readObject } from '../../core/json.ts';
import { own, type Words } from '../../core/words.ts';

/** Copied from @sigstore/tuf 5.0.1; docs/decisions/packages.md. */
const shippedRoot = new URL('./sigstore-trusted-root.json', import.meta.url);

/**
 * The text of an extension: a DER UTF8String of at most 127 bytes, or longer with one or two bytes of length.
 */
function toText(value: Buffer): string | undefined {
  if (value[0] !== 0x0c) return undefined;
  const [, first = 0] = value;
  return value.toString('utf8', first < 0x80 ? 2 : 2 + (first & 0x7f));
}

function repositoryOf({ oids = [] }: NonNullable<ReturnType<Verifier['verify']>['identity']>) {
  // Fulcio's certificate extension Source Repository URI.
  const found = oids.find(({ oid }) => oid?.id.join('.') === '1.3.6.1.4.1.57264.1.12');
  return found && toText(Buffer.from(found.value));
}

/** That a signature was checked and is not shown to be right, as a sentence that is true when read alone. */
const unproven = (why: Words) => ({ result: 'unproven' as const, why });

/**
 * A statement (in-toto) whose signature was checked, the repository whose build was given the certificate,
 * and who identified the build.
 */
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

/**
 * Opens a check of Sigstore bundles, which never throws, against the keys of a trusted root: a file as TUF
 * serves it, or the shipped copy if none is named. Signature, certificate chain, certificate log and
 * transparency log are verified as @sigstore/verify does. Throws if the file cannot be read.
 */
export async function openBundleCheck(path: string) {
  const text = await readFile(path === '' ? shippedRoot : path, 'utf8');
  const verifier = new Verifier(toTrustMaterial(TrustedRoot.fromJSON(JSON.parse(text))));
  return (bundle: unknown) => {
    try {
      return verify(verifier, bundle);
    } catch {
      return unproven(
        own(
          'The signature did not verify with the Sigstore keys that this service has: it is wrong, or made with newer keys.',
        ),
      );
    }
  };
}
