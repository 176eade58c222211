import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openScriptedModel } from '../../eval/tools/scripted-model.ts';
import { observedStates } from '../../test/support/observed-entries.ts';
import { openObservedStates } from '../../test/support/observed-states.ts';
import { installFrom, installPacked, tryIn } from './tried.ts';

// Usage: npm run lab try:plugin. Claude Code from npm (240 MB), with a home of its own and no way out but to
// loopback, installs the plugin of this repository; its hook runs the packed package. A scripted model then
// calls a shell command and a tool.
const nowhere = 'http://127.0.0.1:9';
const prompt = 'Call the tools.';

await tryIn(async (folder, { holds }) => {
  const [home, project, modules] = ['home', 'project', 'claude'].map((name) => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  }) as [string, string, string];
  installPacked(project);
  installFrom(modules, '@anthropic-ai/claude-code');
  const program = `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;
  const directory = await openObservedStates();
  const model = await openScriptedModel(
    [
      { tool: 'Bash', input: { command: 'npm install bundled-export@1.4.2' } },
      { tool: 'get_agent', input: { handle: observedStates.paid } },
    ],
    ['Bash', 'get_agent'],
  );
  /** What the program prints, and how it ends. */
  async function claude(...args: readonly string[]) {
    const child = spawn(join(modules, program), args, {
      cwd: project,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        CLAUDE_CONFIG_DIR: join(home, '.claude'),
        CI: 'true',
        HTTP_PROXY: nowhere,
        HTTPS_PROXY: nowhere,
        NO_PROXY: '127.0.0.1,localhost',
        npm_config_offline: 'true',
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        ENABLE_TOOL_SEARCH: 'false',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 180_000,
      killSignal: 'SIGKILL',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    const [code] = await once(child, 'close');
    return { code: code as number | null, output };
  }
  try {
    process.stdout.write((await claude('--version')).output);
    const valid = await claude('plugin', 'validate', resolve('.'));
    holds('Claude Code finds the marketplace valid', valid.code === 0, valid.output);
    const added = await claude('plugin', 'marketplace', 'add', resolve('.'));
    holds('it adds the marketplace', added.code === 0, added.output);
    const service = `service=${directory.url}`;
    const installed = await claude('plugin', 'install', 'dossier@dossier', '--config', service);
    holds('it installs the plugin', installed.code === 0, installed.output);
    const session = await claude('-p', prompt, '--allowedTools', 'Bash', 'mcp__plugin_dossier_dossier');
    const [command = '', answer = ''] = model.handed().results;
    const seen = `${command}\n${answer}\n${session.output}`;
    holds('its hook stops a package that is malicious code', command.includes('MAL-2026-4102'), seen);
    holds('its tools answer', answer.includes('payee changed from'), seen);
  } finally {
    await model.close();
    await directory.close();
  }
});
process.exit();
