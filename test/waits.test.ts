import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import settings from '../vitest.config.ts';

const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && path !== 'waits.test.ts',
);

/** Files with servers that answer late or bit by bit on purpose; no test waits that long for them. */
const servers = [
  'conformance/fixtures.ts',
  'observer/hostile.test.ts',
  'observer/polite.test.ts',
  'observer/read-check.test.ts',
];

interface Form {
  readonly what: string;
  readonly form: RegExp;
  readonly exceptions?: readonly string[];
}

const refused: readonly Form[] = [
  {
    what: 'waits for a fixed time; wait for what has to happen with expect.poll, or move the clock of the service',
    form: /\bsetTimeout\b[^;]*from 'node:timers\/promises'/,
    // The last two poll outside of a test.
    exceptions: [...servers, 'support/postgres-server.ts', 'support/warm-command.ts'],
  },
  {
    what: 'waits for a fixed time; wait for what has to happen with expect.poll, or move the clock of the service',
    form: /\bnew Promise(?:<[^>]*>)?\(\s*\(\w+\) => (?:void )?setTimeout\(/,
    // How far a page moves while Chromium draws it is known only later; a slow page is found to move less.
    exceptions: ['browser/every-page.test.ts'],
  },
  {
    what: 'ends something after a fixed time; end it when what has to come before has come',
    form: /setTimeout\(\(\) => [\w.]+\.(?:abort|kill)\(/,
  },
  {
    what: 'compares a measured duration; count requests, bytes or events instead',
    form: /performance\.now\(\) -|process\.hrtime|Date\.now\(\) - \w*(?:start|beg[au]n|since|before)/i,
  },
  {
    what: 'gives something a deadline that a busy machine misses; give it a signal that nobody aborts',
    form: /AbortSignal\.timeout\(/,
  },
  {
    what: 'shortens a time-out that requests without the fault have too; shorten the one of the fault, while it is there',
    form: /\b(?:observerExchange|observerHost|observerCheck|claimDns|name)_ms(?:: [1-9][\d_]{0,4}\b|')/,
    // In these, every request that the time-out ends is the fault.
    exceptions: [
      'observer/hostile.test.ts',
      'observer/not-asked.test.ts',
      'observer/polite.test.ts',
      'support/endpoints/faults.ts',
    ],
  },
  {
    what: 'waits for a second at most; use expect.poll, and until of test/support in a hook',
    form: /\bvi\.waitFor\(/,
    exceptions: ['support/until.ts'],
  },
];

it.each(refused)('no test $what', ({ form, exceptions = [] }) => {
  const found = files.filter((path) => form.test(readFileSync(join('test', path), 'utf8')));
  expect(found.toSorted()).toEqual(exceptions.toSorted());
});

it('no test waits less long for what has to happen than vitest.config.ts says', () => {
  const { testTimeout = 0, hookTimeout = 0, expect: { poll } = {} } = settings.test ?? {};
  const limits = [
    [/\btimeout: ([\d_]+)/g, poll?.timeout ?? 0],
    [/\btestTimeout: ([\d_]+)/g, testTimeout],
    [/\bhookTimeout: ([\d_]+)/g, hookTimeout],
    [/^ *\}, ([\d_]{4,})\);$|^ *([\d_]{4,}),\n *\);$/gm, testTimeout],
  ] as const;
  expect([testTimeout, hookTimeout, poll?.timeout]).toEqual([180_000, 600_000, 60_000]);
  const shorter = files.flatMap((path) => {
    const text = readFileSync(join('test', path), 'utf8');
    return limits.flatMap(([form, least_ms]) =>
      [...text.matchAll(form)]
        .filter(([, inOptions, last]) => Number((inOptions ?? last ?? '').replaceAll('_', '')) < least_ms)
        .map(([all]) => `${path}: ${all.trim()}`),
    );
  });
  expect(shorter).toEqual([]);
});
