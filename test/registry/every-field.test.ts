import { expect, it } from 'vitest';
import { recordForm } from '../../src/listings/record-form.ts';
import { callTool } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

type Form = (typeof recordForm)[string];

/** The fields of inputs of all kinds are one: where they are written, other fields decide what is shown. */
const inputs = /^.*(?:headers|variables|Arguments|environmentVariables)\./i;
const known: Readonly<Record<string, string>> = {
  'packages.registryType': 'mcpb',
  'packages.fileSha256': 'ab'.repeat(32),
};
const written: { path: string; text: string }[] = [];

function textOf(path: string, form: Form): unknown {
  const text = known[path] ?? `text-${written.length}-x`;
  written.push({ path: path.replace(inputs, 'input.'), text });
  if (path === 'repository.url') return `https://github.com/bob/${text}`;
  if (/url$/i.test(path)) return `https://${text}.example.com/mcp`;
  return form === 'any' ? [text] : text;
}

/** A record with a text of its own in every field that is read. */
function fill(form: Form, path: string): unknown {
  if (form === 'flag' || form === 'members') return undefined;
  if (typeof form === 'string') return textOf(path, form);
  if ('list' in form) return [fill({ object: form.list.fields }, path)];
  if ('map' in form) return { [`part-${written.length}`]: fill({ object: form.map }, path) };
  const read = Object.entries(form.object).filter(
    ([name]) => path !== '' || !/^(?:name|version)$/.test(name),
  );
  return Object.fromEntries(
    read.map(([name, one]) => [name, fill(one, path === '' ? name : `${path}.${name}`)]),
  );
}

const directory = await openedDirectory({
  entries: [
    registryEntry('io.github.bob/every', fill({ object: recordForm }, '') as Record<string, unknown>),
  ],
});

it('shows every field that it reads of a record, except those that it leaves out on purpose', async () => {
  const handle = 'io.github.bob/every';
  const answer = await callTool(directory, 'get_agent', { handle, detail: 'full' });
  const page = await directory.app.request(`/agents/${handle}.json`);
  const shown = JSON.stringify(answer) + (await page.text());
  const isShown = ({ text }: (typeof written)[number]) => shown.includes(text);
  const named = Map.groupBy(written, ({ path }) => path);
  expect([...named].filter(([, all]) => !all.some(isShown)).map(([path]) => path)).toEqual([
    // The schema of the record, and pictures of others.
    '$schema',
    'icons',
    // The address of the repository names its host.
    'repository.source',
    'repository.id',
    // How a client asks for a value. A default is the publisher's and may be a secret.
    'input.format',
    'input.default',
    'input.placeholder',
    // What the package listens on once it is started is told by its type.
    'packages.transport.url',
    // Arguments are written as they are typed.
    'input.type',
    'input.valueHint',
  ]);
});
