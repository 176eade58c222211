import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { answer } from './answer.ts';

// Stands in for npx, uvx, docker and dnx: writes down how it was started, and is an MCP server over stdio.
const [log = '', ...command] = process.argv.slice(2);
const { LEDGER_KEY, MODE } = process.env;
appendFileSync(log, `${JSON.stringify({ command: command.join(' '), env: { LEDGER_KEY, MODE } })}\n`);
createInterface({ input: process.stdin }).on('line', (line) => {
  const answered = answer(line);
  if (answered) process.stdout.write(`${answered}\n`);
});
