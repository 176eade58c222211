import { readDistributions } from './distributions.ts';
import { createPicker, pickQuantile, type Random } from './random.ts';
import { toSlug } from './synthetic-words.ts';

const real = readDistributions();
const pickShape = createPicker(real.shapes);

/** Makes a text of a length. */
type Write = (length: number) => string;

const toRemote = (type: string, slug: string) => ({ type, url: `https://${slug}.example.com/mcp` });

const toVariable = (at: number, write: Write) => ({
  name: `SETTING_${at}`,
  description: write(40),
  isRequired: at === 0,
  isSecret: at === 0,
  format: 'string',
});

function toPackage(shape: string, slug: string, write: Write) {
  const [registryType, type, variables] = shape.split(':');
  return {
    registryType,
    identifier: registryType === 'npm' ? `@${slug}/mcp` : slug,
    version: '1.0.0',
    transport: { type, ...(type !== 'stdio' && { url: 'http://localhost:8080/mcp' }) },
    environmentVariables: Array.from({ length: Number(variables) }, (_, at) => toVariable(at, write)),
  };
}

const partsOf = (text: string) => text.split(',').filter(Boolean);

/**
 * A made-up server.json but for its name and version: remotes, packages and lengths as real ones have them.
 */
export function toRecord(handle: string, write: Write, random: Random): Record<string, unknown> {
  const namespace = handle.slice(0, handle.indexOf('/'));
  const slug = toSlug(handle).toLowerCase();
  const [remotes = '', packages = ''] = pickShape(random).split('|');
  const has = (what: keyof typeof real.shares) => random() < real.shares[what];
  const repository = `${toSlug(namespace.replace(/^io\.github\./, ''))}/${has('sharedRepository') ? 'all' : slug}`;
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json',
    description: write(pickQuantile(real.descriptionLengths, random)),
    ...(has('title') && { title: write(20) }),
    ...(has('website') && { websiteUrl: `https://${slug}.example.com` }),
    ...(has('repository') && {
      repository: { url: `https://github.com/${repository}`, source: 'github' },
    }),
    ...(remotes && { remotes: partsOf(remotes).map((type) => toRemote(type, slug)) }),
    ...(packages && { packages: partsOf(packages).map((shape) => toPackage(shape, slug, write)) }),
  };
}
