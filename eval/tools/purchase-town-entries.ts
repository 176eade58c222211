import type { RegistryEntry } from '../../test/support/entries.ts';
import { onGitHub } from '../../test/support/registry-entries.ts';
import { at, of, packaged, remote, replaced } from './purchase-entries.ts';

/** Listings of the tasks G01 to G20 of which every version was there at the first check. */
const lasting: readonly RegistryEntry[] = [
  at(
    'com.harborwell/clinic',
    'Appointments of a clinic, and dentistry',
    'https://mcp.harborwell.com/mcp',
    150,
    {
      ...onGitHub('harborwell/clinic-mcp'),
      websiteUrl: 'https://harborwell.com',
    },
  ),
  at('com.bexleybank/accounts', 'Accounts and statements', 'https://mcp.bexleybank.com/mcp', 300, {
    websiteUrl: 'https://bexleybank.com/agents',
  }),
  at('com.bexley-bank/accounts', 'Accounts of Bexley Bank', 'https://mcp.bexley-bank.com/mcp', 12, {
    title: 'Bexley Bank',
    websiteUrl: 'https://bexleybank.com',
  }),
  at('com.orchardhq/api', 'Tasks and projects of Orchard', 'https://mcp.orchardhq.com/mcp', 250, {
    ...onGitHub('orchardhq/orchard-api'),
  }),
  at(
    'io.github.orchardhq-dev/orchard-mcp',
    'The official MCP server of Orchard',
    'https://orchard-mcp.onrender.com/mcp',
    18,
    { ...onGitHub('orchardhq-dev/orchard-mcp'), websiteUrl: 'https://orchardhq.com' },
  ),
  of('com.kestrelqueue/queue', 'Queues of jobs', packaged('npm', '@kestrelqueue/mcp-server', '2.0.0')),
  of('dev.tidewise/tides', 'Tide tables for ports', {
    ...remote('https://mcp.tidewise.dev/mcp'),
    ...packaged('pypi', 'tidewise-tides', '1.4.0'),
  }),
  at('com.rentroll/leases', 'Manages leases and rents', 'https://mcp.rentroll.com/mcp', 220),
  of('io.github.flatkeep/leases', 'Manages lease contracts of flats', {
    ...onGitHub('flatkeep/leases'),
    ...packaged('npm', 'flatkeep-leases', '1.0.0'),
  }),
  at('com.fieldgate/orders', 'Creates and lists orders', 'https://mcp.fieldgate.com/mcp', 180),
  of('io.github.saltmarsh/scan', 'Scans documents', {
    ...onGitHub('saltmarsh/scan'),
    ...packaged('oci', 'docker.io/saltmarsh/scan:1.2'),
  }),
  of('io.github.quillworks/quillpad', 'Notes in Markdown', {
    ...onGitHub('quillworks/quillpad'),
    ...packaged('pypi', 'quillpad', '0.8.0'),
  }),
  at('com.ledgerly/rates', 'Exchange rates', 'https://mcp.ledgerly.com/mcp', 90),
  at('com.stillwater/levels', 'Levels of rivers', 'https://mcp.stillwater.com/mcp', 160),
];

const plover = replaced(
  'com.plover/mail',
  { description: 'Reads mail', ...packaged('npm', 'plover-mail', '1.0.0') },
  { description: 'Reads mail', ...packaged('npm', 'plover-mail', '1.1.0') },
  3,
);

/** What the registry lists of the town at the first two checks, and at those that follow. */
export const townEntriesAt: Readonly<Record<'before' | 'after', readonly RegistryEntry[]>> = {
  before: [...lasting, ...plover.before],
  after: [...lasting, ...plover.after],
};
