import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openedDirectory } from '../support/opened.ts';
import { listedNames } from '../support/tool-names.ts';

const run = promisify(execFile);
const directory = await openedDirectory({ listening: true });

const inspect = (...args: string[]) =>
  run('node', [
    'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    '--cli',
    `${directory.url}/api/mcp`,
    '--transport',
    'http',
    ...args,
  ]);

describe('MCP Inspector', () => {
  it.each(['legacy', 'modern'])('lists the tools in the %s era without a warning', async (era) => {
    const { stdout, stderr } = await inspect('--protocol-era', era, '--method', 'tools/list', '--strict');
    const { tools } = JSON.parse(stdout) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name).sort()).toEqual(listedNames);
    expect(stderr).toBe('');
  });
  it('calls a tool', async () => {
    const call = [
      '--method',
      'tools/call',
      '--tool-name',
      'get_agent',
      '--tool-arg',
      'handle=co.webhook/webhook',
    ];
    const { stdout } = await inspect(...call);
    expect(JSON.parse(stdout).structuredContent.handle).toBe('co.webhook/webhook');
  });
});
