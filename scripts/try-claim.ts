import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Started, startDossier } from '../test/support/command.ts';
import { createGitServer } from '../test/support/git-server.ts';

// Usage: npm run try:claim. Starts a git host and a Dossier that takes it for github.com, both on loopback,
// and prints the commands that claim a listing of the sample. It leaves nothing behind once it is stopped.
const handle = 'co.webhook/webhook';
const repository = 'webhook-co/webhook';
const folder = mkdtempSync(join(tmpdir(), 'dossier-claim-'));
const checkout = join(folder, 'webhook');
const say = (text: string) => process.stdout.write(`${text}\n`);

/** Tells the reader which step the git host has seen. */
function report(request: string): void {
  const [, commit] = /^GET \/raw\/.+\/([0-9a-f]{40})\/dossier-claim\.txt$/.exec(request) ?? [];
  if (commit) say(`The service looked for dossier-claim.txt in commit ${commit.slice(0, 12)}.`);
  if (/^POST .+\/git-receive-pack$/.test(request))
    say('The git host received a push. Send the request again.');
}

/** Clones the repository for its owner. Git asks for no name in that clone, and signs no commit. */
async function makeCheckout(gitUrl: string): Promise<void> {
  const settings = ['user.name=Owner', 'user.email=owner@example.org', 'commit.gpgsign=false'];
  const options = settings.flatMap((setting) => ['-c', setting]);
  await promisify(execFile)('git', ['clone', '--quiet', ...options, `${gitUrl}/${repository}.git`, checkout]);
}

/** Waits until the service, which listens before it imports, has the sample; returns its address. */
async function awaitSample(url: string): Promise<string> {
  while (!(await fetch(`${url}/readyz`)).ok) await wait(100);
  return url;
}

const ofAnswer = (member: string) => `JSON.parse(fs.readFileSync("../answer.json")).${member}`;

function explain(url: string, gitUrl: string): void {
  const request = `curl -s ${url}/api/claim-github -H 'content-type: application/json' -d '{"handle":"${handle}"}'`;
  say(`
A Dossier is running at ${url}, with the sample. Its github.com is a git host of this script, ${gitUrl}.
Claim ${handle}, whose recorded repository is https://github.com/${repository}: paste this into another terminal.

1. Request a challenge, and save the answer.

   cd ${checkout}
   ${request} | tee ../answer.json

2. Commit file_contents from the answer as dossier-claim.txt at the root of the repository, and push.

   node -e 'process.stdout.write(${ofAnswer('file_contents')})' > dossier-claim.txt
   git add dossier-claim.txt && git commit -m 'Claim the listing' && git push

3. Send the same request again. The answer has "status":"claimed".

   ${request}

The listing is claimed, as ${url}/agents/${handle} shows, and the capability of the first answer works:

   export DOSSIER_CAPABILITY=$(node -p '${ofAnswer('capability')}')
   curl -s ${url}/api/capability -H "X-Agent-Capability: $DOSSIER_CAPABILITY"

With it you can rate another listing, as the README shows under "Rate a service".

Ctrl-C stops the service and the git host, and deletes ${folder}.
`);
}

const git = await createGitServer(report);
let service: Started | undefined;
// npm passes on the signal that the terminal sends to both: the second one must not cut off what the first
// one began.
const stopped = new Promise<number>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => resolve(0));
});
try {
  git.createRepository(repository).commit({ 'README.md': 'A repository that nobody has claimed yet.\n' });
  await makeCheckout(git.url);
  service = startDossier(['serve'], {
    PORT: process.env.PORT ?? '3000',
    DATABASE_URL: ':memory:',
    REGISTRY_URL: 'off',
    REPOSITORY_HOSTS: JSON.stringify({ 'github.com': { git: git.url, raw: `${git.url}/raw` } }),
    LOG_LEVEL: 'warn',
  });
  const ended = service.ended.then(({ code, stderr }) => {
    process.stderr.write(stderr);
    return code ?? 1;
  });
  // If the service ends before it listens, `ended` says why.
  const listening = service.line(/^listening on (\S+)/m);
  listening.then(awaitSample).then(
    (url) => explain(url, git.url),
    () => undefined,
  );
  process.exitCode = await Promise.race([stopped, ended]);
} finally {
  service?.child.kill('SIGTERM');
  await service?.ended;
  await git.close();
  rmSync(folder, { recursive: true, force: true });
}
// Otherwise the shell in which the git host runs git would keep this process alive.
process.exit();
