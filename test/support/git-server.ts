import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInShell } from './shell.ts';

/** The tests of claims and `npm run try:claim` need git; the service itself does not. */
const gitMissing = 'This runs a real git server: install git (with git-http-backend) and run it again.';
const environment = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };

type Files = Readonly<Record<string, string | Buffer | null>>;
/** Answers a request in the server's place; false leaves it to git. */
type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A bare repository; paths are files at its root. */
export interface GitRepository {
  /** Commits files (null deletes) to a branch, now or at another time, and answers the commit's id. */
  commit(files: Files, branch?: string, at?: Date): string;
  /** Makes another branch the one that HEAD names. */
  setDefaultBranch(branch: string): void;
}

/**
 * Real git over HTTP on loopback: smart HTTP by `git http-backend`, raw files of both layouts by `git show`.
 */
export interface GitServer {
  readonly url: string;
  /** `METHOD path` of every request, oldest first. */
  readonly requests: string[];
  fault: Fault | undefined;
  createRepository(path: string): GitRepository;
  /**
   * Copies a repository with its history, as a clone or fork has it; `restore` puts the copy in its place.
   */
  copyRepository(path: string): { restore(): void };
  /** Deletes a repository with its whole history. */
  removeRepository(path: string): void;
  close(): Promise<void>;
}

/** What git answered; it is kept until a repository changes, because a process costs some milliseconds. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

let backend: string | undefined;

function backendPath(): string {
  if (backend) return backend;
  const { code, output } = runInShell(['git', '--exec-path'], { env: environment });
  if (code !== 0) throw new Error(gitMissing);
  backend = join(output.toString().trim(), 'git-http-backend');
  return backend;
}

/** What `git fast-import` makes one commit of. */
function toCommit(ref: string, hasParent: boolean, files: Files, at: Date): Buffer {
  const data = (content: string | Buffer) => [`data ${Buffer.byteLength(content)}\n`, content, '\n'];
  const changes = Object.entries(files).flatMap(([path, content]) =>
    content === null ? [`D ${path}\n`] : [`M 100644 inline ${path}\n`, ...data(content)],
  );
  const seconds = Math.floor(at.getTime() / 1000);
  const head = [`commit ${ref}\nmark :1\ncommitter owner <owner@example.org> ${seconds} +0000\n`];
  const parts = [...head, ...data('change'), hasParent ? `from ${ref}^0\n` : '', ...changes, 'get-mark :1\n'];
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

/**
 * Settings that allow partial clones, as GitHub and GitLab do, and pushes by anybody; git has both off by
 * default.
 */
const repositoryConfig =
  '[core]\n\tbare = true\n[uploadpack]\n\tallowFilter = true\n[http]\n\treceivepack = true\n';

function createRepository(folder: string, onChange: () => void): GitRepository {
  const setDefaultBranch = (branch: string) => {
    onChange();
    writeFileSync(join(folder, 'HEAD'), `ref: refs/heads/${branch}\n`);
  };
  if (!existsSync(folder)) {
    for (const name of ['objects', 'refs/heads']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'config'), repositoryConfig);
    setDefaultBranch('main');
  }
  return {
    commit(files, branch = 'main', at = new Date()) {
      onChange();
      const ref = `refs/heads/${branch}`;
      const input = toCommit(ref, existsSync(join(folder, ref)), files, at);
      const command = ['git', 'fast-import', '--quiet'];
      const { code, output } = runInShell(command, { cwd: folder, env: environment, input });
      if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
      return output.toString().trim();
    },
    setDefaultBranch,
  };
}

/** CGI as git-http-backend speaks it: a header block, an empty line, the body. */
function askBackend(root: string, request: IncomingMessage, input: Buffer): Answer {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://git');
  const env = {
    ...environment,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: pathname,
    QUERY_STRING: searchParams.toString(),
    REQUEST_METHOD: request.method ?? 'GET',
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
  };
  const { output } = runInShell([backendPath()], { env, input });
  const end = output.indexOf('\r\n\r\n');
  const lines = output.toString('latin1', 0, end).split('\r\n');
  const { status = '200', ...headers } = Object.fromEntries(
    lines.map((line) => line.split(/: */, 2)).map(([name = '', value = '']) => [name.toLowerCase(), value]),
  );
  return { status: Number.parseInt(status, 10), headers, body: output.subarray(end + 4) };
}

/**
 * `/raw/<owner>/<name>/<ref>/<file>` as GitHub lays it out, `/raw/<path>/-/raw/<ref>/<file>` as GitLab does,
 * `.../raw/commit/<ref>/<file>` as Forgejo, `.../raw/<ref>/<file>` as Bitbucket.
 */
function readRaw(root: string, path: string): Answer {
  const gitLab = /^\/raw\/(.+)\/-\/raw\/([^/]+)\/(.+)$/.exec(path);
  const forge = /^\/raw\/([^/]+\/[^/]+)\/raw\/(?:commit\/|branch\/)?([^/]+)\/(.+)$/.exec(path);
  const [, repository, ref, file] =
    gitLab ?? forge ?? /^\/raw\/([^/]+\/[^/]+)\/([^/]+)\/(.+)$/.exec(path) ?? [];
  const cwd = join(root, `${repository}.git`);
  const { code, output } = existsSync(cwd)
    ? runInShell(['git', 'show', `${ref}:${file}`], { cwd, env: environment })
    : { code: 128 };
  return code === 0 && output
    ? { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: output }
    : { status: 404, headers: {}, body: Buffer.from('404: Not Found') };
}

/**
 * Starts the server on a free port of this machine, and calls `onRequest` with `METHOD path` for every
 * request.
 */
export async function createGitServer(onRequest?: (request: string) => void): Promise<GitServer> {
  backendPath();
  const root = mkdtempSync(join(tmpdir(), 'dossier-git-'));
  const requests: string[] = [];
  const answers = new Map<string, Answer>();
  const forget = () => answers.clear();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url = '/', headers } = request;
    const input = Buffer.concat(await request.toArray());
    if (url.endsWith('/git-receive-pack')) forget();
    const asked = [
      method,
      url,
      headers['content-type'],
      headers['git-protocol'],
      input.toString('latin1'),
    ].join('\n');
    const answered =
      answers.get(asked) ?? (url.startsWith('/raw/') ? readRaw(root, url) : askBackend(root, request, input));
    answers.set(asked, answered);
    const { status, headers: given, body } = answered;
    response.writeHead(status, given).end(body);
  };
  const http = createServer((request, response) => {
    const asked = `${request.method} ${request.url}`;
    requests.push(asked);
    onRequest?.(asked);
    // The caller may leave before its answer.
    if (!server.fault?.(request, response)) answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  const server: GitServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests,
    fault: undefined,
    createRepository: (path) => createRepository(join(root, `${path}.git`), forget),
    copyRepository(path) {
      const copy = mkdtempSync(join(tmpdir(), 'dossier-git-copy-'));
      cpSync(join(root, `${path}.git`), copy, { recursive: true });
      return {
        restore() {
          forget();
          cpSync(copy, join(root, `${path}.git`), { recursive: true });
          rmSync(copy, { recursive: true });
        },
      };
    },
    removeRepository(path) {
      forget();
      rmSync(join(root, `${path}.git`), { recursive: true, force: true });
    },
    async close() {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
      rmSync(root, { recursive: true, force: true });
    },
  };
  return server;
}
