import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The tests of claims need git; the service itself does not. */
const gitMissing =
  'These tests run a real git server: install git (with git-http-backend) and run them again.';
const environment = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'owner',
  GIT_AUTHOR_EMAIL: 'owner@example.org',
  GIT_COMMITTER_NAME: 'owner',
  GIT_COMMITTER_EMAIL: 'owner@example.org',
};

type Files = Readonly<Record<string, string | Buffer | null>>;
/** Answers a request in the server's place; false leaves it to git. */
type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A bare repository; paths are files at its root. */
export interface GitRepository {
  /** Commits files (null deletes) to a branch and answers the commit's id. */
  commit(files: Files, branch?: string): string;
  /** Makes another branch the one that HEAD names. */
  setDefaultBranch(branch: string): void;
}

/** Real git over HTTP on loopback: smart HTTP by `git http-backend`, raw files of both layouts by `git show`. */
export interface GitServer {
  readonly url: string;
  /** `METHOD path` of every request, oldest first. */
  readonly requests: string[];
  fault: Fault | undefined;
  createRepository(path: string): GitRepository;
  /** Copies a repository with its history, as a clone or fork has it; `restore` puts the copy in its place. */
  copyRepository(path: string): { restore(): void };
  /** Deletes a repository with its whole history. */
  removeRepository(path: string): void;
  close(): Promise<void>;
}

function git(folder: string, args: readonly string[], input?: string | Buffer, index?: string): Buffer {
  const env = { ...environment, ...(index && { GIT_INDEX_FILE: index }) };
  return execFileSync('git', args, { cwd: folder, env, input: input ?? '', stdio: 'pipe' });
}

function backendPath(): string {
  try {
    return join(execFileSync('git', ['--exec-path']).toString().trim(), 'git-http-backend');
  } catch (cause) {
    throw new Error(gitMissing, { cause });
  }
}

function createRepository(folder: string): GitRepository {
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', folder], {
    env: environment,
    stdio: 'pipe',
  });
  // As GitHub and GitLab have it; git itself is delivered with it off.
  git(folder, ['config', 'uploadpack.allowFilter', 'true']);
  const run = (args: readonly string[], input?: string | Buffer) =>
    git(folder, args, input, 'index.tests').toString().trim();
  return {
    commit(files, branch = 'main') {
      const parent = run(['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`]);
      run(parent ? ['read-tree', parent] : ['read-tree', '--empty']);
      for (const [path, content] of Object.entries(files)) {
        if (content === null) run(['update-index', '--index-info'], `0 ${'0'.repeat(40)}\t${path}\n`);
        else {
          const blob = run(['hash-object', '-w', '--stdin'], content);
          run(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
        }
      }
      const tree = run(['write-tree']);
      const commit = run(['commit-tree', tree, ...(parent ? ['-p', parent] : []), '-m', 'change']);
      run(['update-ref', `refs/heads/${branch}`, commit]);
      return commit;
    },
    setDefaultBranch: (branch) => void run(['symbolic-ref', 'HEAD', `refs/heads/${branch}`]),
  };
}

/** CGI as git-http-backend speaks it: a header block, an empty line, the body. */
function serveGit(root: string, backend: string, [request, response]: [IncomingMessage, ServerResponse]) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://git');
  const cgi = spawn(backend, {
    env: {
      ...environment,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  cgi.stdin.on('error', () => {}); // it may end without reading, for example where there is no repository
  request.pipe(cgi.stdin);
  const chunks: Buffer[] = [];
  cgi.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  cgi.on('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    for (const line of output.toString('latin1', 0, end).split('\r\n')) {
      const colon = line.indexOf(':');
      const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      if (name === 'status') response.statusCode = Number.parseInt(value, 10);
      else if (name) response.setHeader(name, value);
    }
    response.end(output.subarray(end + 4));
  });
}

/**
 * `/raw/<owner>/<name>/<ref>/<file>` as GitHub lays it out, `/raw/<path>/-/raw/<ref>/<file>` as GitLab does,
 * `.../raw/commit/<ref>/<file>` as Forgejo, `.../raw/<ref>/<file>` as Bitbucket.
 */
function serveRaw(root: string, path: string, response: ServerResponse) {
  const gitLab = /^\/raw\/(.+)\/-\/raw\/([^/]+)\/(.+)$/.exec(path);
  const forge = /^\/raw\/([^/]+\/[^/]+)\/raw\/(?:commit\/|branch\/)?([^/]+)\/(.+)$/.exec(path);
  const [, repository, ref, file] =
    gitLab ?? forge ?? /^\/raw\/([^/]+\/[^/]+)\/([^/]+)\/(.+)$/.exec(path) ?? [];
  try {
    const body = git(join(root, `${repository}.git`), ['show', `${ref}:${file}`]);
    response.setHeader('content-type', 'text/plain; charset=utf-8').end(body);
  } catch {
    response.writeHead(404).end('404: Not Found');
  }
}

/** Starts the server on a free port of this machine. */
export async function createGitServer(): Promise<GitServer> {
  const backend = backendPath();
  const root = mkdtempSync(join(tmpdir(), 'dossier-git-'));
  const requests: string[] = [];
  const http = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (server.fault?.(request, response)) return;
    if (request.url?.startsWith('/raw/')) serveRaw(root, request.url, response);
    else serveGit(root, backend, [request, response]);
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  const server: GitServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests,
    fault: undefined,
    createRepository: (path) => createRepository(join(root, `${path}.git`)),
    copyRepository(path) {
      const copy = mkdtempSync(join(tmpdir(), 'dossier-git-copy-'));
      cpSync(join(root, `${path}.git`), copy, { recursive: true });
      return {
        restore() {
          cpSync(copy, join(root, `${path}.git`), { recursive: true });
          rmSync(copy, { recursive: true });
        },
      };
    },
    removeRepository: (path) => rmSync(join(root, `${path}.git`), { recursive: true, force: true }),
    async close() {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
      rmSync(root, { recursive: true, force: true });
    },
  };
  return server;
}
