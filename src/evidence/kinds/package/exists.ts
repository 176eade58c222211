import { createHash } from 'node:crypto';
import { toRegistered } from '../../observation/answer.ts';
import { defineKind } from '../../observation/kind.ts';
import type { Look } from '../../observation/look.ts';
import type { Finding } from '../../observation/observation.ts';
import { withoutAnswer } from '../remotes.ts';
import { sourceOf } from './foreign-json.ts';
import { notFound, ofPackages, ofPublished } from './of-packages.ts';
import { packagesOn, type RecordedPackage, toImage } from './recorded-packages.ts';

const digestForm = /^sha256:[\da-f]{64}$/;

async function ofImage(look: Look, recorded: RecordedPackage): Promise<Finding> {
  const image = toImage(recorded);
  if (!image)
    return withoutAnswer({
      result: 'not_checked',
      reason: 'The recorded identifier is not the name of a container image.',
    });
  const answer = toRegistered(await look.image(image), ({ schemaVersion }) =>
    Number.isInteger(schemaVersion),
  );
  if (answer.result !== 'document' && answer.result !== 'absent') return withoutAnswer(answer);
  const { response } = answer;
  const source = sourceOf(response);
  const reason = `${source.source} has no public image ${image.name} at ${image.reference}.`;
  if (answer.result === 'absent') return notFound({ result: 'missing', reason, ...source });
  const stated = response.headers['docker-content-digest'] ?? '';
  const digest = digestForm.test(stated)
    ? stated
    : `sha256:${createHash('sha256').update(response.text).digest('hex')}`;
  return {
    value: true,
    state: 'observed',
    details: { reference: image.reference, digest },
    ...source,
  };
}

/** Whether the recorded packages are in their registries. */
export const packageExists = defineKind({
  kind: 'package.exists',
  question: 'code',
  title: 'Package is published',
  means:
    'The registry has the recorded version of the package, or its newest one where none is recorded; for an image, its manifest.',
  doesNotMean: 'It does not say who published it, or that it was made of the recorded repository.',
  method_version: 'package/1',
  about: packagesOn('npm', 'pypi', 'oci'),
  async check(look) {
    const packages = await ofPublished(look, ['npm', 'pypi'], ({ version }) => ({
      value: true,
      state: 'observed',
      details: { version },
    }));
    return [...packages, ...(await ofPackages(look, ['oci'], (image) => ofImage(look, image)))];
  },
});
