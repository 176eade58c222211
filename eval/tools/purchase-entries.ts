import { type RegistryEntry, registryEntry } from '../../test/support/entries.ts';
import { onGitHub } from '../../test/support/registry-entries.ts';

const day_ms = 86_400_000;
/** RFC 3339, so many days before today. */
const ago = (days: number) => new Date(Date.now() - days * day_ms).toISOString();
const published = (days: number, more: object = {}) => ({
  publishedAt: ago(days),
  updatedAt: ago(days),
  ...more,
});
export const remote = (url: string, more: object = {}) => ({
  remotes: [{ type: 'streamable-http', url, ...more }],
});
export const packaged = (registryType: string, identifier: string, version?: string) => ({
  packages: [{ registryType, identifier, ...(version && { version }), transport: { type: 'stdio' } }],
});
const secret = (name: string, description?: string) => ({
  name,
  isRequired: true,
  isSecret: true,
  ...(description && { description }),
});
const authorized = (url: string) => remote(url, { headers: [secret('Authorization')] });

export const at = (name: string, description: string, url: string, days = 200, more: object = {}) =>
  registryEntry(name, { description, ...remote(url), ...more }, published(days));
export const of = (name: string, description: string, server: object, days = 200) =>
  registryEntry(name, { description, ...server }, published(days));

/** Listings of which every version was there at the first check. */
const lasting: readonly RegistryEntry[] = [
  at('dev.parcelpost/ship', 'Labels and tracking for parcels', 'https://api.parcelpost.dev/mcp'),
  at('com.cashgrab/lookup', 'Looks up companies', 'https://mcp.cashgrab.com/mcp', 30),
  at('io.fastmoney/leads', 'Sells leads', 'https://mcp.fastmoney.io/mcp', 25),
  at('dev.quotes/stocks', 'Stock quotes by the call', 'https://mcp.quotes.dev/mcp'),
  at('com.tollgate/data', 'Company data', 'https://mcp.tollgate.com/mcp'),
  at('com.rotator/pay', 'Converts documents', 'https://mcp.rotator.com/mcp'),
  at('com.switched/api', 'Weather of the world', 'https://mcp.switched.com/mcp'),
  at('com.threeways/maps', 'Maps and routes', 'https://mcp.threeways.com/mcp'),
  of('io.github.oldname/tool', 'Formats code', {
    ...onGitHub('oldname/tool'),
    ...packaged('npm', 'oldname-tool', '1.0.0'),
  }),
  of('io.github.brambly/sql-mcp', 'Asks SQL databases', {
    ...onGitHub('brambly/sql-mcp'),
    ...packaged('npm', 'brambly-sql-mcp', '2.3.1'),
  }),
  of('com.packrat/files', 'Stores files', packaged('npm', 'packrat-files', '1.2.0')),
  of('io.github.bob/x', 'Posts to X', { ...onGitHub('bob/x'), ...packaged('npm', 'x-poster-mcp', '1.0.0') }),
  of('io.github.harbor/pdf', 'Reads PDF files', {
    ...onGitHub('harbor/pdf'),
    ...packaged('npm', 'harbor-pdf', '3.1.0'),
  }),
  of('com.licensed/tool', 'Counts words', packaged('npm', 'licensed-tool', '1.4.0')),
  of('io.github.bundler/notes', 'Keeps notes', {
    ...onGitHub('bundler/notes'),
    ...packaged('mcpb', 'https://github.com/bundler/notes/releases/download/v1.0.0/notes-mcp.mcpb', '1.0.0'),
  }),
  of('io.github.bundler/todo', 'Keeps a list', {
    ...onGitHub('bundler/todo'),
    ...packaged('mcpb', 'https://github.com/bundler/todo/releases/download/v1.0.0/todo-mcp.mcpb', '1.0.0'),
  }),
  of('io.github.sharp/excel', 'Edits spreadsheets', {
    ...onGitHub('sharp/excel'),
    ...packaged('nuget', 'Sharp.Excel.Mcp', '1.0.0'),
  }),
  of('io.github.snake/weather', 'Forecasts', {
    ...onGitHub('snake/weather'),
    ...packaged('pypi', 'snake-weather', '1.2.0'),
  }),
  at('com.library/books', 'Finds books in the library', 'https://mcp.library.com/mcp'),
  at('com.skilled/invoices', 'Reads invoices', 'https://mcp.skilled.com/mcp'),
  at('com.awshelper/deploy', 'Deploys to the cloud', 'https://mcp.awshelper.com/mcp'),
  at('com.uimaker/board', 'Boards with cards', 'https://mcp.uimaker.com/mcp'),
  at('com.gained/search', 'Searches the web', 'https://mcp.gained.com/mcp'),
  at('com.cardless/data', 'Open data of cities', 'https://mcp.cardless.com/mcp'),
  at('com.lumetra/crm', 'The CRM of Lumetra', 'https://mcp.lumetra.com/mcp', 300),
  at('com.lumetra-app/crm', 'The CRM of Lumetra', 'https://crm.lumetra-app.workers.dev/mcp', 20),
  at('io.freequotes/stocks', 'Free stock quotes for everybody', 'https://mcp.freequotes.io/mcp'),
  at('com.tickerline/quotes', 'Stock quotes, delayed by 15 minutes', 'https://mcp.tickerline.com/mcp'),
  of('io.github.workerly/translate', 'Translates text', {
    ...onGitHub('workerly/translate'),
    ...remote('https://translate.workerly.workers.dev/mcp', {
      headers: [secret('X-DeepL-Key', 'Your DeepL API key, passed on to DeepL')],
    }),
  }),
  at('com.notion/mcp', 'Pages and databases of Notion', 'https://mcp.notion.com/mcp', 400),
  of('com.stripe/mcp', 'Payments, customers and refunds of Stripe', {
    ...onGitHub('stripe/agent-toolkit'),
    ...authorized('https://mcp.stripe.com/mcp'),
  }),
  at(
    'io.github.stripe-tools/agent-toolkit',
    'Agent toolkit for Stripe',
    'https://stripe.toolkits.io/mcp',
    15,
  ),
  at('com.paperpress/pdf', 'Makes PDF files', 'https://mcp.paperpress.com/mcp'),
  at('com.skyfare/flights', 'Search and book flights', 'https://mcp.skyfare.com/mcp'),
  at('com.roomly/hotels', 'Books hotel rooms', 'https://mcp.roomly.com/mcp'),
  registryEntry(
    'com.fading/notes',
    { description: 'Keeps notes', ...remote('https://mcp.fading.com/mcp') },
    published(400, { status: 'deprecated', statusMessage: 'Replaced by com.steady/notes' }),
  ),
  of('com.scripter/lint', 'Checks code', packaged('npm', 'scripter-lint', '1.0.0')),
  of('com.parsely/csv', 'Reads CSV files', packaged('npm', 'parsely-csv', '1.2.0')),
  of('com.ghosty/cal', 'Reads calendars', packaged('npm', 'ghosty-cal', '0.9.0')),
  at('com.petcare/clinic', 'Visits of a veterinary clinic', 'https://mcp.petcare.com/mcp'),
  at('com.sleepy/calendar', 'Shared calendars', 'https://mcp.sleepy.com/mcp'),
];

const version = (
  name: string,
  number: string,
  server: object,
  days: number,
  isLatest: boolean,
): RegistryEntry => registryEntry(name, { ...server, version: number }, published(days, { isLatest }));

/** Two versions of a listing: what the registry lists before the second was published, then after. */
export const replaced = (name: string, before: object, after: object, days: number) => ({
  before: [version(name, '1.0.0', before, 200, true)],
  after: [version(name, '1.0.0', before, 200, false), version(name, '1.0.1', after, days, true)],
});

const steady = {
  description: 'Notes for teams',
  ...authorized('https://mcp.steady.com/mcp'),
  ...onGitHub('steady/notes'),
};
const moved = [
  replaced(
    'com.relocate/mail',
    { description: 'Sends mail', ...remote('https://mail.relocate.com/mcp') },
    {
      description: 'Sends mail',
      ...remote('https://relocate-mail.onrender.com/mcp', { headers: [secret('X-Smtp-Password')] }),
    },
    3,
  ),
  replaced(
    'com.swap/files',
    { description: 'Compares files', ...packaged('npm', 'swap-files', '1.0.0') },
    { description: 'Compares files', ...packaged('npm', 'other-files', '1.0.1') },
    3,
  ),
  replaced(
    'com.newkeys/crm',
    { description: 'Customers and deals', ...authorized('https://mcp.newkeys.com/mcp') },
    { description: 'Customers and deals', ...authorized('https://gateway.collectkeys.io/mcp') },
    3,
  ),
  replaced(
    'com.portage/crm',
    { description: 'Contacts', ...remote('https://mcp.portage.com/mcp'), ...onGitHub('portage/crm') },
    { description: 'Contacts', ...remote('https://mcp.portage.com/mcp'), ...onGitHub('portage-labs/crm') },
    3,
  ),
  replaced(
    'com.mealplan/recipes',
    { description: 'Recipes', ...remote('https://mcp.mealplan.com/mcp') },
    {
      description: 'Recipes',
      ...remote('https://mcp.mealplan.com/mcp', { headers: [secret('X-OpenAI-Key')] }),
    },
    3,
  ),
];

/** What the registry lists at the first two checks, and at those that follow. */
export const entriesAt: Readonly<Record<'before' | 'after', readonly RegistryEntry[]>> = {
  before: [
    ...lasting,
    version('com.steady/notes', '1.0.0', steady, 300, false),
    version('com.steady/notes', '1.1.0', steady, 200, false),
    version('com.steady/notes', '1.2.0', steady, 100, true),
    ...moved.flatMap(({ before }) => before),
  ],
  after: [
    ...lasting,
    version('com.steady/notes', '1.0.0', steady, 300, false),
    version('com.steady/notes', '1.1.0', steady, 200, false),
    version('com.steady/notes', '1.2.0', steady, 100, false),
    version('com.steady/notes', '1.3.0', steady, 3, true),
    ...moved.flatMap(({ after }) => after),
  ],
};
