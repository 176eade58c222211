import { defineKind } from '../../observation/kind.ts';
import { ofRemotes } from '../remotes.ts';
import { aiSdkFingerprint } from './ai-sdk-fingerprint.ts';
import { inNameOrder, surfaceDigest, toolDigest } from './digest.ts';
import { withoutList } from './no-list.ts';

const longestName = 200;

const toolNames = (tools: unknown): string[] =>
  Array.isArray(tools) ? tools.map(({ name }: { name?: unknown }) => String(name ?? '')) : [];

/** The set of tools that an endpoint lists, as one digest. */
export const toolsSurface = defineKind({
  kind: 'tools.surface',
  question: 'tools',
  title: 'Tools it lists',
  means:
    'The SHA-256 Merkle root over all tools that the endpoint listed to Dossier; the same value means that no name, description, schema or annotation differs.',
  doesNotMean: 'It does not say what a tool does when it is called; Dossier calls none.',
  changed: 'The endpoint lists other tools',
  shows: ({ details }) => toolNames(details?.tools).join(', ') || 'none',
  method_version: 'tools/1',
  applies: ({ remotes }) => remotes.length > 0,
  check: (look) =>
    ofRemotes(look, (endpoint) => {
      const { tools, isCut } = endpoint;
      if (!tools) return withoutList(endpoint);
      const digests = inNameOrder(tools).map((tool) => ({
        name: typeof tool.name === 'string' ? tool.name.slice(0, longestName) : '',
        sha256: toolDigest(tool),
        ai_sdk: aiSdkFingerprint(tool),
      }));
      return {
        value: surfaceDigest(tools),
        state: 'observed',
        ...(isCut && { reason: 'The list was longer than Dossier reads: 500 tools or 2 MiB.' }),
        details: { tools: digests },
      };
    }),
});
