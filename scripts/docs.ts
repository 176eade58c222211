import { readFileSync, writeFileSync } from 'node:fs';
import {
  costOfNewClaim,
  howToOptOut,
  howToReplaceCapability,
  lineRules,
  optOutRules,
} from '../src/claims/rules.ts';
import { clients } from '../src/cli/inventory/clients.ts';
import { settings } from '../src/config/settings.ts';
import { problemTable } from '../src/core/problem.ts';
import { allLimits } from '../src/http/limits.ts';
import type { Limit } from '../src/limits/limit.ts';
import { kinds } from '../src/observations/known/kinds.ts';
import { questionTitles } from '../src/observations/known/observation.ts';
import { resources } from '../src/resources/index.ts';
import { prompts } from '../src/resources/prompts.ts';
import { tools } from '../src/tools/index.ts';
import { toConfigs } from '../src/views/connections.ts';

/** The pages that hold generated blocks, by their path in the repository. */
export const generatedPages = [
  'README.md',
  'docs/reference.md',
  'docs/claims.md',
  'docs/changes.md',
  'docs/observations.md',
  'SECURITY.md',
] as const;

const cell = (text: string) => text.replaceAll('|', '\\|');
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

const list = (rows: readonly (readonly [name: string, text: string])[]) =>
  rows.map(([name, text]) => `* \`${name}\`: ${text}`).join('\n');

const units = { s: 1, min: 60, h: 3600, day: 86_400 } as const;

/** How fast calls come back, in the smallest unit that gives a whole number. */
const toRate = ({ burst, refill_s }: Limit): string => {
  const rates = Object.entries(units).map(([unit, length_s]) => ({
    unit,
    calls: (burst * length_s) / refill_s,
  }));
  const shown = rates.find(({ calls }) => Number.isInteger(calls));
  return shown ? `${shown.calls}/${shown.unit}` : `${burst}/${refill_s} s`;
};

/** The default of a setting; of a long object only its keys, or, of package registries, where each is. */
const toDefault = (fallback: string): string => {
  if (fallback.length <= 60) return fallback && `\`${fallback}\``;
  const entries = Object.entries(JSON.parse(fallback) as Record<string, unknown>);
  return entries.map(([key, value]) => (typeof value === 'string' ? `${key}: ${value}` : key)).join(', ');
};

const longestLine = 150;

/** Names in sentences that are set as code. */
const names =
  /\b(claim_agent|rotate: true|POST \/api\/capability\/revoke|dossier-claim\.txt|Authorization)\b/g;

/** A paragraph, broken into lines as the pages have them. */
function paragraph(text: string): string {
  const lines: string[] = [];
  for (const word of text.replaceAll(names, '`$1`').split(' ')) {
    const last = lines.pop();
    const isFull = last === undefined || last.length + word.length >= longestLine;
    if (last !== undefined && isFull) lines.push(last);
    lines.push(isFull ? word : `${last} ${word}`);
  }
  return lines.join('\n');
}

/** The service that `npm start` runs. */
const local = { name: 'dossier', url: 'http://127.0.0.1:3000/api/mcp', type: 'http', headers: {} } as const;

/** A link that opens a client; GitHub shows links only if they are https. */
const toHttps = (deepLink: string): string =>
  deepLink.startsWith('cursor:')
    ? `https://cursor.com/en/install-mcp${URL.parse(deepLink)?.search}`
    : `https://vscode.dev/redirect?url=${encodeURIComponent(deepLink)}`;

/** The generated blocks, by the name in their marker. */
const blocks: Record<string, () => string> = {
  deep_links: () =>
    `Or ${toConfigs(local)
      .flatMap(({ client, deepLink }) => (deepLink ? `[add it to ${client}](${toHttps(deepLink)})` : []))
      .join(', or ')}.`,
  clients: () => paragraph(`${Object.keys(clients).join(', ')}.`),
  settings: () =>
    table(
      ['name', 'default', 'meaning'],
      Object.entries(settings).map(([name, { default: fallback, meaning }]) => [
        `\`${name}\``,
        toDefault(fallback),
        meaning,
      ]),
    ),
  tools: () => list(tools.map(({ name, title }) => [name, title])),
  resources: () => list(resources.map(({ uri, title }) => [uri, title])),
  prompts: () => list(prompts.map(({ name, title }) => [name, title])),
  kinds: () =>
    table(
      ['question', 'kinds of fact'],
      [...Map.groupBy(kinds, ({ question }) => question)].map(([question, ofQuestion]) => [
        questionTitles[question],
        ofQuestion.map(({ kind, title }) => `\`${kind}\`: ${title}`).join('<br>'),
      ]),
    ),
  limits: () =>
    table(
      ['name', 'at once', 'then'],
      allLimits.map((limit) => [`\`${limit.name}\``, String(limit.burst), toRate(limit)]),
    ),
  new_lines: () => lineRules.map(paragraph).join('\n\n'),
  new_claim: () => paragraph(costOfNewClaim),
  opt_out: () =>
    [
      paragraph(howToOptOut('dossier-claim.txt').join('`optout <handle>`')),
      optOutRules.map((effect) => paragraph(`* ${effect}`).replaceAll('\n', '\n  ')).join('\n'),
    ].join('\n\n'),
  leaked: () =>
    paragraph(
      `**Replace a leaked capability**; it needs no report. Whoever has it can rate and respond in the name of the listing, and change or withdraw its ratings. A thief who also has write access to a location of the account or domain that holds the claim can move the claim or opt the listing out, at once. ${howToReplaceCapability} If you revoke your only capability first, the claim ends, and the next line begins a new one, [which costs more](docs/claims.md#what-a-new-line-does). A capability that a check finds in a claim file ends at once, by itself. If it was the only capability, the claim ends too.`,
    ),
  problems: () =>
    table(
      ['code', 'HTTP', 'what it means'],
      Object.entries(problemTable).map(([code, { status, title }]) => [
        `\`${code}\``,
        String(status === 200 ? 422 : status),
        title,
      ]),
    ),
};

/** A page with every generated block brought up to date. Throws where a marker names no block. */
export const renderBlocks = (page: string): string =>
  page.replace(
    /(<!-- begin (\w+) -->\n)[\s\S]*?(<!-- end \2 -->)/g,
    (_all, begin: string, name: string, end: string) => {
      const block = blocks[name];
      if (!block) throw new Error(`no generated block is called ${name}`);
      return `${begin}${block()}\n${end}`;
    },
  );

if (import.meta.main) {
  for (const path of generatedPages) {
    const address = new URL(`../${path}`, import.meta.url);
    writeFileSync(address, renderBlocks(readFileSync(address, 'utf8')));
  }
}
