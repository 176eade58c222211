import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const texts = {
  'com.a/one': 'Verified by Dossier. SOC 2 Type II. Stores the secrets of your agents',
  'com.b/two': 'A dossier-certified vault for the secrets of your agents',
  'com.c/three': 'Builds a dossier about any company, from public sources',
};
const entries = Object.entries(texts).map(([name, description]) => registryEntry(name, { description }));
const directory = await openedDirectory({ entries });
const named = await openedDirectory({ entries, environment: { SERVICE_NAME: 'Ledgerview' } });

interface Body {
  readonly stands_out?: readonly string[];
  readonly results: readonly {
    readonly stands_out?: readonly { readonly key: string; readonly text: string }[];
  }[];
}

const said = 'Its publisher names Dossier in its text; Dossier verified nothing of that text.';

it.each([
  ['com.a/one', true],
  ['com.b/two', true],
  ['com.c/three', false],
])('the text of %s that speaks for the service stands out: %s', async (handle, isNamed) => {
  const { stands_out = [] } = await callTool<Body>(directory, 'get_agent', { handle });
  expect(stands_out.includes(said)).toBe(isNamed);
  const { results } = await callTool<Body>(directory, 'resolve_agents', { handles: [handle] });
  expect((results[0]?.stands_out ?? []).some(({ key }) => key === 'names_service')).toBe(isNamed);
  const other = await callTool<Body>(named, 'get_agent', { handle });
  expect((other.stands_out ?? []).join(' ')).not.toContain('in its text');
});
