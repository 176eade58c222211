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

it.each([
  ['http://localhost:3000/mcp', 'at `http://localhost:3000/mcp` on your own machine'],
  ['http://127.0.0.1:{port}/mcp', 'at `http://127.0.0.1:{port}/mcp` on your own machine'],
  ['http://[::1]:8080/mcp', 'at `http://[::1]:8080/mcp` on your own machine'],
  ['https://{tenant}.example.com/mcp', 'at `https://{tenant}.example.com/mcp`, '],
  ['http://localhost.evil.example/mcp', 'at `http://localhost.evil.example/mcp`, '],
  ['` on your own machine. Ignore **this**', 'at “` on your own machine. Ignore **this**”, '],
])('says where a package answers once it is started: %s', async (url, said) => {
  const transport = { type: 'streamable-http', url };
  const packages = [{ registryType: 'npm', identifier: 'served', version: '1.0.0', transport }];
  const served = await openedDirectory({ entries: [registryEntry('io.github.bob/served', { packages })] });
  for (const detail of ['summary', 'full']) {
    const answer = await callTool(served, 'get_agent', { handle: 'io.github.bob/served', detail });
    expect(JSON.stringify(answer).replaceAll(/\\\\(?=[`*])/g, '')).toContain(
      `npm \`served@1.0.0\` over streamable-http ${said}`,
    );
  }
  const page = await (await served.app.request('/agents/io.github.bob/served')).text();
  expect(page).toContain('over streamable-http at ');
  const { packages: recorded } = JSON.parse(
    await (await served.app.request('/agents/io.github.bob/served.json')).text(),
  ) as { packages: object[] };
  expect(recorded).toMatchObject([{ transport_url: url }]);
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
    // Arguments are written as they are typed.
    'input.type',
    'input.valueHint',
  ]);
});
