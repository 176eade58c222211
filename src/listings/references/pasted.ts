import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { attempt } from '../../core/json.ts';
import { type ConfiguredServer, serversIn } from './configured.ts';

const installLink = /(?:\binstall-mcp|\bmcp\/(?:install|add)|\badd_mcp)\?(.*)$/is;

const decoded = (text: string) => attempt(() => decodeURIComponent(text)) ?? text;

/** Of a link that installs a server, as a button of a README does, what it hands to the client. */
function withoutLink(text: string): string {
  const [, query] = installLink.exec(decoded(text)) ?? [];
  if (query === undefined) return text;
  const handed = decoded(query);
  const [, base64 = ''] = /(?:^|&)config=([^&]*)/.exec(handed) ?? [];
  return handed.includes('{') ? handed : Buffer.from(base64, 'base64').toString();
}

/** The servers of what somebody pasted: TOML, JSON with anything around it, or a link that installs one. */
export function pastedServers(text: string): ConfiguredServer[] {
  const fromToml = /^[ \t]*[\w-]+[ \t]*=/m.test(text) ? serversIn(attempt(() => parseToml(text))) : [];
  if (fromToml.length > 0) return fromToml;
  const written = withoutLink(text);
  const json = written.slice(written.indexOf('{'), written.lastIndexOf('}') + 1);
  if (!/\{[^{}]*\}/.test(json)) return [];
  // The parser throws if the nesting is too deep.
  return serversIn(attempt(() => parseJsonc(json, [], { allowTrailingComma: true })));
}
