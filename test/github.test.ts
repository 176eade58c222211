import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const read = (path: string) => readFileSync(join('.github', path), 'utf8');
const filesOf = (folder: string) => readdirSync(join('.github', folder)).map((name) => join(folder, name));

interface Workflow {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { uses?: string; run?: string }[] }>>;
}
const workflow = (path: string) => parse(read(path)) as Workflow;
const stepsOf = (path: string) => Object.values(workflow(path).jobs).flatMap(({ steps }) => steps);

describe('.github/workflows', () => {
  const workflows = filesOf('workflows');

  it.each(workflows)('%s runs only actions that a commit pins, and its token only reads', (path) => {
    expect(workflow(path).permissions).toEqual({ contents: 'read' });
    for (const { uses } of stepsOf(path)) if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });

  it('have one version of each action', () => {
    const used = new Set(workflows.flatMap((path) => read(path).match(/(?<=uses: ).*/g) ?? []));
    expect(used.size).toBeGreaterThan(2);
    expect(new Set([...used].map((line) => line.split('@')[0])).size).toBe(used.size);
  });

  it('run what must pass on a clean clone for pull requests, for main and before a release', () => {
    expect(workflow('workflows/ci.yml').on).toEqual({ pull_request: null, push: { branches: ['main'] } });
    for (const path of ['workflows/ci.yml', 'workflows/release.yml'])
      expect(stepsOf(path)).toContainEqual({ run: 'bash .ci/run' });
  });
});

describe('the forms of .github', () => {
  const forms = filesOf('ISSUE_TEMPLATE').filter((path) => !path.endsWith('config.yml'));

  it.each(forms)('%s is a form of GitHub, whose every question says what a report needs', (path) => {
    const form = parse(read(path)) as { body: { type: string; id?: string; attributes: object }[] };
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    const [note, ...questions] = form.body;
    expect(note).toEqual({ type: 'markdown', attributes: { value: expect.any(String) } });
    expect(questions.length).toBeGreaterThan(0);
    for (const { type, attributes } of questions) {
      expect(type).toBe('textarea');
      expect(attributes).toMatchObject({ label: expect.any(String), description: expect.any(String) });
    }
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
  });

  it('send a vulnerability to SECURITY.md and a report about a listing to docs/moderation.md', () => {
    expect(read('ISSUE_TEMPLATE/bug.yml')).toMatch(/`SECURITY\.md`[\s\S]*`docs\/moderation\.md`/);
    expect(read('pull_request_template.md')).toContain('SECURITY.md');
  });

  it.each([...forms, 'pull_request_template.md'])('%s names documents and commands that exist', (path) => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    const text = read(path);
    const documents = text.match(/\b[\w/]+\.md\b|\bdocs\/\w+/g) ?? [];
    expect(documents.filter((name) => !existsSync(name))).toEqual([]);
    const commands = [...text.matchAll(/`npm (?:run )?([\w:]+)/g)].map(([, name = '']) => name);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  });
});
