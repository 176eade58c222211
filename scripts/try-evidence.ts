import { toConfigs } from '../src/views/connections.ts';
import { observedStates as states } from '../test/support/observed-entries.ts';
import { openObservedStates } from '../test/support/observed-states.ts';

// Usage: npm run try:evidence. Starts a Dossier on loopback whose made-up listings were checked over 60 days,
// and prints where to look and what to ask. It leaves nothing behind once it is stopped.
const say = (text: string) => process.stdout.write(`${text}\n`);

const shown: readonly (readonly [handle: string, what: string])[] = [
  [states.paid, 'asks for payment; it raised the price and changed the payee'],
  [states.toolsChanged, 'added a tool that deletes files'],
  [states.unreachable, 'does not answer any more'],
  [states.malicious, 'records a package that OSV lists as malicious code'],
  [states.healthy, 'answers, is claimed, and is rated by two other listings'],
  [states.moved, 'moved to another host and another account'],
  [states.severalOffers, 'asks for payment on three networks, on one to the payee of another listing'],
  [states.twinOfAccount, 'names the endpoint of somebody else'],
];

const questions: readonly string[] = [
  `Use dossier to weigh ${states.paid} before I pay for it.`,
  `${states.paid} asks me for 0.05 USDC on Base, to 0x${'2'.repeat(40)}. Has dossier seen that offer?`,
  `May I install npm:bundled-export@1.4.2? Ask dossier.`,
  `What changed at ${states.toolsChanged}, according to dossier?`,
  `Compare ${states.healthy} and ${states.unreachable} with dossier.`,
];

const numbered = questions.map((question, at) => `   ${at + 1}. ${question}`);

function explain(url: string): void {
  const configs = toConfigs({ name: 'dossier', url: `${url}/api/mcp`, type: 'http', headers: {} });
  const add = configs.find(({ client }) => client === 'Claude Code')?.text ?? '';
  say(`
A Dossier is running at ${url}. Its listings, their servers and the ratings are made up.

Look in a browser:

${shown.map(([handle, what]) => `   ${url}/agents/${handle}\n      ${what}`).join('\n')}

Ask an agent. Connect it in another terminal

   ${add}

and ask:

${numbered.join('\n')}

Without an agent, DOSSIER_URL=${url} npm run inspect opens MCP Inspector.

Ctrl-C stops everything and deletes it. Then: claude mcp remove dossier
`);
}

// npm passes on the signal that the terminal sends to both: the second one must not cut off what the first
// one began.
const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => resolve());
});
say('Checking made-up listings over 60 days takes some seconds.');
const directory = await openObservedStates();
explain(directory.url);
await stopped;
await directory.close();
// Otherwise the shell in which the git host runs git would keep this process alive.
process.exit();
