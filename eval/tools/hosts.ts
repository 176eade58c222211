import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Handed, openScriptedModel, type ScriptedCall } from './scripted-model.ts';

interface Places {
  readonly model: string;
  readonly service: string;
  readonly home: string;
}
/** An agent of npm that takes MCP servers, and how it is told which model and server to use. */
interface Host {
  readonly name: string;
  readonly packageName: string;
  readonly command: string;
  readonly args: readonly string[];
  files(places: Places): Readonly<Record<string, string>>;
  environment(places: Places): Readonly<Record<string, string>>;
}

const prompt = 'Call the tools.';
const codexConfig = ({ model, service }: Places) => `model = "gpt-5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.scripted]
name = "scripted"
base_url = "${model}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[mcp_servers.dossier]
url = "${service}/api/mcp"
`;
const openCodeConfig = ({ model, service }: Places) => ({
  model: 'scripted/scripted',
  small_model: 'scripted/scripted',
  autoupdate: false,
  share: 'disabled',
  permission: 'allow',
  provider: {
    scripted: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${model}/v1`, apiKey: 'none' },
      models: { scripted: { name: 'scripted', tool_call: true } },
    },
  },
  mcp: { dossier: { type: 'remote', url: `${service}/api/mcp`, enabled: true } },
});

export const hosts: readonly Host[] = [
  {
    name: 'Claude Code',
    packageName: '@anthropic-ai/claude-code',
    command: `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
    args: ['-p', prompt, '--mcp-config', 'mcp.json', '--strict-mcp-config', '--allowedTools', 'mcp__dossier'],
    files: ({ service }) => ({
      'mcp.json': JSON.stringify({ mcpServers: { dossier: { type: 'http', url: `${service}/api/mcp` } } }),
    }),
    environment: ({ model, home }) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ENABLE_TOOL_SEARCH: 'false',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  {
    name: 'Codex',
    packageName: '@openai/codex',
    command: '.bin/codex',
    args: ['exec', '--skip-git-repo-check', prompt],
    files: (places) => ({ '.codex/config.toml': codexConfig(places) }),
    environment: ({ home }) => ({ CODEX_HOME: join(home, '.codex'), SCRIPTED_KEY: 'none' }),
  },
  {
    name: 'opencode',
    packageName: 'opencode-ai',
    command: `opencode-${process.platform}-${process.arch}/bin/opencode`,
    args: ['run', prompt],
    files: (places) => ({ 'opencode.json': JSON.stringify(openCodeConfig(places)) }),
    environment: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
  },
  {
    name: 'Gemini CLI',
    packageName: '@google/gemini-cli',
    command: '.bin/gemini',
    args: ['-p', prompt, '--yolo', '-m', 'gemini-2.5-pro'],
    files: ({ service }) => ({
      '.gemini/settings.json': JSON.stringify({
        mcpServers: { dossier: { httpUrl: `${service}/api/mcp`, trust: true } },
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
      }),
    }),
    environment: ({ model }) => ({
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
  },
  {
    name: 'Copilot CLI',
    packageName: '@github/copilot',
    command: '.bin/copilot',
    args: ['-p', prompt, '--allow-all-tools'],
    files: ({ service }) => ({
      '.copilot/mcp-config.json': JSON.stringify({
        mcpServers: { dossier: { type: 'http', url: `${service}/api/mcp`, tools: ['*'] } },
      }),
    }),
    environment: ({ model }) => ({
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: 'scripted',
      COPILOT_OFFLINE: 'true',
    }),
  },
];

/** Installs agents of npm into an empty folder; `modules` if they are installed already. */
export function installHosts(
  packages: readonly Host[],
  modules?: string,
): { modules: string; remove: () => void } {
  if (modules) return { modules, remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'dossier-hosts-'));
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', [...install, ...packages.map(({ packageName }) => packageName)], { cwd: folder });
  return {
    modules: join(folder, 'node_modules'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const longest_ms = 180_000;
const nowhere = 'http://127.0.0.1:9';

/**
 * Runs a host with a home of its own and no way out but to loopback; what it handed the scripted model, and
 * what it printed.
 */
export async function runHost(
  host: Host,
  { modules, service, calls, names }: HostRun,
): Promise<Handed & { output: string; requests: readonly { path: string }[] }> {
  const model = await openScriptedModel(calls, names);
  const home = mkdtempSync(join(tmpdir(), 'dossier-host-'));
  const places = { model: model.url, service, home };
  for (const [path, content] of Object.entries(host.files(places))) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  }
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    NO_PROXY: '127.0.0.1,localhost',
    CI: 'true',
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    ...host.environment(places),
  };
  const child = spawn(join(modules, host.command), host.args, {
    cwd: home,
    env,
    timeout: longest_ms,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  await once(child, 'close');
  await model.close();
  rmSync(home, { recursive: true, force: true });
  return { ...model.handed(), output, requests: model.requests };
}

export interface HostRun {
  readonly modules: string;
  readonly service: string;
  readonly calls: readonly ScriptedCall[];
  readonly names: readonly string[];
}
