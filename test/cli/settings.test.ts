import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { program, runDossier, startDossier } from '../support/command.ts';

const quiet = { DATABASE_URL: ':memory:', REGISTRY_URL: 'off', PORT: '0' };
const address = 'an http or https address without user, query and fragment';

it.each([
  [
    'what cannot be taken apart',
    {
      HOST: '999.1.1.1',
      PUBLIC_URL: 'https://x.example/?from=here',
      REGISTRY_URL: 'http://[x',
      REPOSITORY_HOSTS: '{}',
      ALLOWED_HOSTS: 'http://x/',
      TRUSTED_PROXIES: '10.0.0.0/8, garbage,::1/129,fe80::1%br-0',
      PRICE_CATALOGS: 'https://a.example, ftp://b.example',
    },
    [
      'HOST: an IP address or a host name',
      `PUBLIC_URL: ${address}`,
      `REGISTRY_URL: ${address}, file:... or off`,
      'REPOSITORY_HOSTS: names no host, so that no repository could be read',
      `PRICE_CATALOGS: ftp://b.example is not ${address}`,
      'ALLOWED_HOSTS: http://x/ is not a host name, with or without a port',
      'TRUSTED_PROXIES: garbage is not an IP address or CIDR range; ::1/129 is not an IP address or CIDR range; fe80::1%br-0 is not an IP address or CIDR range',
    ],
  ],
  [
    'what would be lost from links, and names that are markup',
    {
      SERVICE_NAME: '<b>',
      PUBLIC_URL: 'https://x.example/#part',
      REGISTRY_URL: 'https://user:word@registry.example',
    },
    [
      'SERVICE_NAME: up to 40 letters, digits, spaces, dots, underscores and dashes, with a letter or digit at both ends',
      `PUBLIC_URL: ${address}`,
      `REGISTRY_URL: ${address}, file:... or off`,
    ],
  ],
  [
    'numbers and words that are none of those it takes',
    { PORT: 'abc', BACKUP_KEEP: '1.5', LOG_LEVEL: 'loud', OBSERVE: 'maybe', LOG_FORMAT: 'xml' },
    [
      'PORT: a whole number from 0 to 65535',
      'OBSERVE: asked, on or off',
      'BACKUP_KEEP: a whole number from 1 to 10000',
      'LOG_LEVEL: trace, debug, info, warn, error or silent',
      'LOG_FORMAT: empty, pretty or json',
    ],
  ],
  [
    'whole numbers that are not written in digits alone',
    { PORT: ' ', OBSERVE_MEMORY: '1e3', BACKUP_KEEP: '0x10' },
    [
      'PORT: a whole number from 0 to 65535',
      'OBSERVE_MEMORY: a whole number from 64 to 65536',
      'BACKUP_KEEP: a whole number from 1 to 10000',
    ],
  ],
  [
    'a host that has no address',
    { HOST: 'nowhere.invalid' },
    ['HOST: nowhere.invalid is not an address of this machine'],
  ],
])('refuses %s with 78 and one line each', async (_, wrong, lines) => {
  const { code, stdout, stderr } = await runDossier([], { ...quiet, ...wrong });
  expect({ code, stdout, lines: stderr.trim().split('\n') }).toEqual({ code: 78, stdout: '', lines });
});

it('takes the forms that are right', async () => {
  const { code, stderr } = await runDossier(['config'], {
    HOST: '::1',
    PUBLIC_URL: 'https://x.example/',
    REGISTRY_URL: 'http://localhost:8080/v0.1/',
    ALLOWED_HOSTS: 'x.example, x.example:8443,[::1]:3000,10.1.2.3',
    TRUSTED_PROXIES: '10.0.0.0/8,192.0.2.1,2001:db8::/32',
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

it('shows SERVICE_NAME everywhere as the name of the service', async () => {
  const service = startDossier([], { ...quiet, SERVICE_NAME: 'Paper Trail' });
  const url = await service.line(/^listening on (\S+)/m);
  const home = await (await fetch(url)).text();
  expect(home).toContain('<title>Paper Trail: evidence before you buy an agent service</title>');
  expect(home).not.toContain('Dossier');
  expect(await (await fetch(`${url}/llms.txt`)).text()).toMatch(/^# Paper Trail\n/);
  service.child.kill('SIGTERM');
  expect((await service.ended).code).toBe(0);
});

it('names a variable that is most likely a misspelt setting', async () => {
  const { code, stderr } = await runDossier(['config'], { PROT: '80', LOG_LEVL: 'info', HOSTNAME: 'x' });
  expect({ code, lines: stderr.trim().split('\n').sort() }).toEqual({
    code: 0,
    lines: [
      'LOG_LEVL: there is no such setting, so it has no effect; did you mean LOG_LEVEL?',
      'PROT: there is no such setting, so it has no effect; did you mean PORT?',
    ],
  });
});

it('dossier config prints what is in force, and refuses what serve refuses', async () => {
  const { stdout } = await runDossier(['config'], { PORT: '4000' });
  expect(stdout).toContain('PUBLIC_URL=http://127.0.0.1:4000\n');
  expect(stdout).toContain('REGISTRY_NAME=registry.modelcontextprotocol.io\n');
  expect(stdout).toContain('ALLOWED_HOSTS=127.0.0.1,localhost,[::1]\n');
  const behindProxy = await runDossier(['config'], {
    PUBLIC_URL: 'https://dossier.example',
    HOST: '2001:db8::7',
  });
  expect(behindProxy.stdout).toContain(
    'ALLOWED_HOSTS=dossier.example,[2001:db8::7],localhost,127.0.0.1,[::1]\n',
  );
  const refused = await runDossier(['config'], { LIMIT_OVERRIDES: 'foo=1/1s' });
  expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 78, stdout: '' });
  expect(refused.stderr).toMatch(/^LIMIT_OVERRIDES: no limit is called foo; there are /);
});

it.each(['serv', 'sevre', 'feedbak'])(
  'a misspelt command %s is answered with what may have been meant',
  async (typed) => {
    const { code, stderr } = await runDossier([typed], quiet);
    expect(code).toBe(64);
    expect(stderr).toMatch(
      /^error: no such command: \w+; did you mean (serve|feedback)\? See dossier --help\n$/,
    );
  },
);

it.each([
  'serve',
  'stdio',
  'import',
  'observe',
  'backup',
  'restore',
  'verify',
  'audit',
  'config',
  'moderate',
])('the help of %s names its exit codes, and has no two empty lines', async (command) => {
  const { code, stdout } = await runDossier([command, '--help'], {});
  expect(code).toBe(0);
  expect(stdout).toMatch(/\nExit codes: 0 /);
  expect(stdout).not.toMatch(/\n\n\n/);
});

it('an import that cannot begin says in one line where it looked, without an empty progress bar', async () => {
  const { code, stdout, stderr } = await runDossier(['import', '--from', '/no/such/copy.json'], quiet);
  expect({ code, stdout, stderr }).toEqual({
    code: 69,
    stdout: '',
    stderr: '/no/such/copy.json: the saved copy copy.json cannot be read\n',
  });
});

it('ends in silence when the reader of its output leaves', async () => {
  const env = { ...process.env, ...quiet };
  const { stderr } = await promisify(execFile)('sh', ['-c', `node ${program} config | true`], { env });
  expect(stderr).toBe('');
});
