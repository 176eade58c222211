import { join } from 'node:path';
import { asMembers, attempt, type JsonObject } from '../../core/json.ts';
import { isWebAddress } from '../../core/text.ts';
import { readCommandsIn } from '../../listings/references/command.ts';
import { serversIn, wrappedIn } from '../../listings/references/configured.ts';
import { commandsIn } from '../../listings/references/shell.ts';
import { readConfigurations } from '../inventory/configurations.ts';
import { type ConfiguredLaunch, launchOfCommand, toLaunch } from '../inventory/launch.ts';
import { isFromElsewhere } from '../inventory/registries.ts';

/** Reading a page is nobody's business: only what sends a body or a payment can be a call of a service. */
const sending =
  / (?:-[a-zA-Z]*d\S*|--(?:data|json|post|body)\S*|-[a-zA-Z]*X ?POST|--(?:request|method)[= ]POST|POST)(?= |$)|X-PAYMENT|PAYMENT-SIGNATURE/;
const fetching = /^(?:(?:sudo|env|time|command|\w+=\S*) )*(?:\S*\/)?(?:curl|wget|https?|xhs?) /;
const notFetched = /^(?:-[exH]|--(?:header|(?:pre)?proxy|referer))$/;

/** As `curl -d BODY URL`, `claude mcp add NAME URL`, `mcp add-json NAME JSON`, `code --add-mcp JSON`. */
function reachedServers(words: readonly string[]): JsonObject[] {
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  const line = own.join(' ');
  if (!/(?:^| )(?:mcp add(?:-json)?|--add-mcp) /.test(line) && !(fetching.test(line) && sending.test(line)))
    return [];
  return own.flatMap((word, at) => {
    if (isWebAddress(word)) return notFetched.test(own[at - 1] ?? '') ? [] : [{ url: word }];
    return word.startsWith('{')
      ? serversIn(attempt(() => JSON.parse(word) as unknown)).map(({ server }) => server)
      : [];
  });
}

const registrySetting = /^(?:npm_config_registry|(?:pip|uv)_\w*index(?:_url)?)$/i;

function launchesOfShell(command: string, environment: NodeJS.ProcessEnv): ConfiguredLaunch[] {
  const variables = Object.fromEntries(
    Object.entries(environment).filter(([name]) => registrySetting.test(name)),
  );
  const place = { path: join(process.cwd(), '.mcp.json'), server: {} };
  const isElsewhere = (...of: [registry: string, name: string]) => isFromElsewhere(of, place);
  return commandsIn(command).flatMap((words) => {
    const started = readCommandsIn(words, variables);
    const wrapped = started.length > 0 ? wrappedIn({ args: words }).map(({ server }) => server) : [];
    return [
      ...started.map((one) => launchOfCommand(one, isElsewhere)),
      ...[...wrapped, ...reachedServers(words)].map((server) => toLaunch(server, isElsewhere)),
    ];
  });
}

/** In `mcp__SERVER__TOOL` and `mcp__plugin_PLUGIN_SERVER__TOOL`. */
function isOfServer(tool: string, name: string): boolean {
  const written = `${name.replace(/[^\w-]/g, '_')}__`;
  return (
    tool.startsWith(`mcp__${written}`) || (tool.startsWith('mcp__plugin_') && tool.includes(`_${written}`))
  );
}

async function launchesOfTool(tool: string, environment: NodeJS.ProcessEnv): Promise<ConfiguredLaunch[]> {
  const { configured } = await readConfigurations([], environment);
  return configured
    .filter(({ client, name }) => client === 'Claude Code' && isOfServer(tool, name))
    .map((one) => toLaunch(one.server, (...of) => isFromElsewhere(of, one)));
}

/** What a call of a tool is about to start, install or connect to, by the input of a PreToolUse hook. */
export async function readAboutToRun(
  { tool_name: tool, tool_input }: JsonObject,
  environment: NodeJS.ProcessEnv,
): Promise<readonly ConfiguredLaunch[]> {
  if (typeof tool !== 'string') return [];
  if (tool.startsWith('mcp__')) return launchesOfTool(tool, environment);
  const { command } = asMembers(tool_input);
  return tool === 'Bash' && typeof command === 'string' ? launchesOfShell(command, environment) : [];
}
