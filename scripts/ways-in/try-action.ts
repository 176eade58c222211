import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { openDirectory } from '../../test/support/directory.ts';
import { runLine, tryIn } from './tried.ts';

// Usage: npm run lab try:action. Runs the commands of action.yml in a clone of HEAD, as a runner of GitHub
// Actions does, on a project that has a lock file; it takes this Node for the one of actions/setup-node.
const handle = 'co.webhook/webhook';

await tryIn(async (folder, { holds }) => {
  const [action, project] = ['action', 'project'].map((name) => join(folder, name)) as [string, string];
  mkdirSync(project);
  execFileSync('git', ['clone', '--quiet', '.', action]);
  const { runs } = parse(readFileSync(join(action, 'action.yml'), 'utf8')) as {
    runs: { steps: { run?: string }[] };
  };
  const steps = runs.steps.flatMap(({ run }) => run ?? []);
  const directory = await openDirectory({ listening: true });
  const LOCK_FILE = join(project, 'dossier.lock.json');
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: action,
    DOSSIER_URL: directory.url,
    LOCK_FILE,
  };
  const runStep = (step = '') => runLine(step, { cwd: project, env });
  try {
    const installed = await runStep(steps[0]);
    holds('it installs what it needs', installed.code === 0, installed.output);
    await runStep(`node "$GITHUB_ACTION_PATH/src/main.js" lock --out "$LOCK_FILE" ${handle}`);
    const same = await runStep(steps[1]);
    holds('it passes while nothing changed', same.code === 0, same.output);
    const locked = readFileSync(LOCK_FILE, 'utf8');
    writeFileSync(LOCK_FILE, locked.replace('"1.0.0"', '"0.0.1"'));
    const changed = await runStep(steps[1]);
    const isAnnotated = /^::error file=.*: version changed from `0\.0\.1`/m.test(changed.output);
    holds('it fails with an annotation after a change', changed.code === 1 && isAnnotated, changed.output);
  } finally {
    await directory.close();
  }
});
