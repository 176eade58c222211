import { hash } from 'node:crypto';
import { isHandle } from '../../../core/handle.ts';
import { asMembers, type JsonObject, readObject } from '../../../core/json.ts';
import { code, own, say } from '../../../core/words.ts';
import { type NoAnswer, noAnswer, notAsked, toContent, toRegistered } from '../../../net/answer.ts';
import type { CheckRun } from '../run.ts';
import { memberOf, notFound, type Published, toPublished, toTime } from './document.ts';
import { type RecordedPackage, toImage } from './recorded.ts';
import { toLicence, toStatedRepository } from './stated.ts';

const isManifest = ({ schemaVersion }: JsonObject) => Number.isInteger(schemaVersion);

export async function readManifest(run: CheckRun, recorded: RecordedPackage<'oci'>) {
  const image = toImage(recorded);
  if (!image) return notAsked(own('The recorded identifier is not the name of a container image.'));
  const opened = await run.image(image);
  if ('result' in opened) return opened;
  const answer = toRegistered(await opened.manifest(image.reference), isManifest);
  if (answer.result === 'document') return { ...answer, ...image, opened };
  if (answer.result !== 'absent') return answer;
  return notFound(
    code(image.host),
    answer.response,
    say`has no public image ${code(image.name)} at ${code(image.reference)}`,
  );
}

export const digestForm = /^sha256:[\da-f]{64}$/;
/** A recorded digest is compared with what came, not with what its header says. */
export function digestOfManifest({
  response: { headers, text },
  reference,
}: Pick<Exclude<Awaited<ReturnType<typeof readManifest>>, NoAnswer>, 'response' | 'reference'>): string {
  const stated = headers['docker-content-digest'] ?? '';
  const isStated = digestForm.test(stated) && !digestForm.test(reference);
  return isStated ? stated : `sha256:${hash('sha256', text)}`;
}

const imageDigest = (one: unknown) => {
  const { digest } = asMembers(one);
  return typeof digest === 'string' && digestForm.test(digest) ? digest : undefined;
};

const mostPlatforms = 100;

/** Entries for an unknown platform are attestations. */
function platformOf(manifests: readonly unknown[]): string | undefined {
  const known = manifests
    .slice(0, mostPlatforms)
    .map((one) => ({ digest: imageDigest(one), platform: memberOf(one, 'platform') }))
    .filter(({ platform }) => platform.os !== 'unknown');
  const usual = known.find(
    ({ platform: { os, architecture } }) => os === 'linux' && architecture === 'amd64',
  );
  return (usual ?? known[0])?.digest;
}

const unread = (name: string) =>
  noAnswer('nothing', say`The manifest of ${code(name)} names no configuration that Dossier reads.`);

async function readConfig(
  found: Exclude<Awaited<ReturnType<typeof readManifest>>, NoAnswer>,
): Promise<{ readonly result: 'config'; readonly config: JsonObject } | NoAnswer> {
  const { opened, name } = found;
  let { document } = found;
  if (Array.isArray(document.manifests)) {
    const digest = platformOf(document.manifests);
    if (digest === undefined) return unread(name);
    const answer = toRegistered(await opened.manifest(digest), isManifest);
    if (answer.result !== 'document') return answer.result === 'absent' ? unread(name) : answer;
    ({ document } = answer);
  }
  const digest = imageDigest(document.config);
  if (digest === undefined) return unread(name);
  const answer = toContent(await opened.blob(digest));
  if (answer.result !== 'response') return answer;
  const config = `sha256:${hash('sha256', answer.text)}` === digest ? readObject(answer.text) : undefined;
  return config ? { result: 'config', config } : unread(name);
}

export async function readOci(
  run: CheckRun,
  recorded: RecordedPackage<'oci'>,
): Promise<Published | NoAnswer> {
  const found = await readManifest(run, recorded);
  if (found.result !== 'document') return found;
  const read = await readConfig(found);
  if (read.result !== 'config') return read;
  const labels = memberOf(memberOf(read.config, 'config'), 'Labels');
  const { 'io.modelcontextprotocol.server.name': name } = labels;
  const other = notAsked(own('Registries of images do not state this.'));
  return toPublished(found.response, other, {
    name: found.name,
    version: found.reference,
    published_at: toTime(read.config.created) ?? other,
    names: typeof name === 'string' && isHandle(name) ? [name] : [],
    repository: toStatedRepository(labels['org.opencontainers.image.source']),
    licence: toLicence(labels['org.opencontainers.image.licenses']),
    document: read.config,
  });
}
