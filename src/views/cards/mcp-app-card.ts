import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import type { Config } from '../../config/config.ts';
import { quotationMarks } from '../../core/text.ts';
import { gapTitles } from '../../document/answers/answers.ts';
import { lineTitles } from '../../document/answers/lines.ts';
import { criteria } from '../../document/criteria/criteria.ts';
import { evidenceTitles, resultTexts } from '../../document/criteria/criterion.ts';

const readAsset = (name: string) => readFileSync(new URL(`../assets/${name}`, import.meta.url), 'utf8');

function readTokens(): readonly [light: string, dark: string] {
  const [light, dark] = [...readAsset('style/tokens.css').matchAll(/:root\s*\{([^}]*)\}/g)].map(
    ([, inside]) => inside,
  );
  if (!light || !dark) throw new Error('tokens.css has no tokens for the card');
  return [light, dark];
}

const [light, dark] = readTokens();
/** The host's theme precedes that of the system. */
const style = `:root{${light}}
:root[data-theme="light"]{color-scheme:light}
@media (prefers-color-scheme:dark){:root:not([data-theme="light"]){${dark}}}
:root[data-theme="dark"]{color-scheme:dark;${dark}}
${['style/results.css', 'card.css', 'style/pictures.css'].map(readAsset).join('')}`;
const script = readAsset('card.js');

const labelsOf = ({ serviceName, version, publicUrl }: Config) => ({
  service: serviceName,
  version,
  pages: `${publicUrl}/agents/`,
  marks: `"|${quotationMarks.source}`,
  lines: Object.entries({ ...lineTitles, ...gapTitles }),
  results: resultTexts,
  kinds: evidenceTitles,
  criteria: Object.fromEntries(Object.entries(criteria).map(([name, { label }]) => [name, label])),
});

/**
 * For MCP Apps (2026-01-26). Makes no requests and has no listing, because the host passes the answer to it.
 */
export const toCard = (config: Config): string =>
  String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${config.serviceName}</title>
<style>${raw(style)}</style>
</head>
<body>
<main id="card"><p class="note">Waiting for the answer.</p></main>
<script type="application/json" id="words">${raw(JSON.stringify(labelsOf(config)).replaceAll('<', '\\u003c'))}</script>
<script type="module">${raw(script)}</script>
</body>
</html>
`);
