import { getNodeValue, parseTree } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { parseDocument } from 'yaml';
import { attempt } from '../../core/json.ts';
import { type ConfiguredServer, decodedWord, serversIn } from './configured.ts';

/** What is within fences and what is between them. */
export const blocksOf = (text: string): string[] =>
  text.split(/(?:`{3,}|^[ \t]*~{3,})(?:[^\S\n]*[\w-]+[^\S\n]*$)?/m);

/** Of a client, or of a page that opens one. */
const installLink =
  /(?:install-mcp|mcp(?:\/|%2f)(?:install|add)|add_mcp|goose(?::\/)?\/extension)(?:\?|%3f)|[?&](?:serverUrl|connectorUrl)=/i;

const decoded = (text: string) => attempt(() => decodeURIComponent(text)) ?? text;

/** What a link that installs a server, as a button of a README does, hands to the client. */
function handedBy(link: string): string {
  const handed = decoded(decoded(link).replace(/^.*?(?:install-mcp|mcp\/(?:install|add)|add_mcp)\?/is, ''));
  if (handed.includes('{')) return handed;
  const given = new URLSearchParams(link.replace(/^[^?]*\?/, ''));
  const url = given.get('serverUrl') ?? given.get('connectorUrl') ?? given.get('url');
  if (url ?? given.get('cmd'))
    return JSON.stringify({ url, command: given.get('cmd'), args: given.getAll('arg') });
  const [, base64 = ''] = /(?:^|&)config=([^&]*)/.exec(handed) ?? [];
  return Buffer.from(base64, 'base64').toString();
}

/** As code in Python or JavaScript gives them to a client. */
const inCode =
  /\bcommand["']?\s*[=:]\s*(?:["']([^"'\n]+)["']\s*,|(\w+)\s+with args[^[]{0,80}?)\s*["']?args["']?\s*[=:]\s*\[([^\]]*)\]/g;
const textForm = /(?<=")(?:\\.|[^"\\])*(?=")|(?<=')[^']*(?=')/g;

/** Each object of JSON with what is before it. The parser throws if the nesting is too deep. */
function takeObjects(text: string, take: (value: unknown, name?: string) => boolean): string {
  let rest = '';
  for (let at = 0; ; ) {
    const start = at + text.slice(at).search(/\{\s*(?:"|\/[/*])/);
    const tree =
      start < at ? undefined : attempt(() => parseTree(text.slice(start), [], { allowTrailingComma: true }));
    if (!tree) return rest + text.slice(at);
    const end = tree.length < 0 ? text.length : start + tree.offset + tree.length;
    const [, name] = /"([^"\n]*)"\s*:\s*$/.exec(text.slice(Math.max(at, start - 120), start)) ?? [];
    const isTaken = take(getNodeValue(tree), name);
    rest += text.slice(at, isTaken ? start : end);
    at = end;
  }
}

/** Lines together that TOML or YAML may have. */
const settings =
  /(?:^(?:[ \t]*(?:[#[\]"'}-].*|[\w.@/-]+[ \t]*(?:=|:(?=\s|$)).*)?|[ \t]+\S.*)(?:\n|$(?!\n)))+/gm;
const launching = /(?:^|[\s{,"'.])(?:command|url|serverUrl|httpUrl|cmd|uri)["']?[ \t]*[=:]/;

/** A parser takes long to find out that nothing is closed. */
const mostNested = 100;

function readYaml(text: string): unknown {
  const document = parseDocument(text, { logLevel: 'silent', prettyErrors: false });
  // An alias could stand for what is many times as long.
  return document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 0 });
}

/** The servers of the configurations and links in a block, and the rest of it. */
export function takeServers(block: string): { servers: readonly ConfiguredServer[]; rest: string } {
  const servers: ConfiguredServer[] = [];
  const take = (value: unknown, name?: string) => {
    // Of a service of Compose, the image is what runs.
    const found = serversIn(value, name).filter(({ server }) => !Object.hasOwn(server, 'image'));
    servers.push(...found);
    return found.length > 0;
  };
  const withoutLinks = block.replace(/[^\s<>"'`(){}]+/g, (word) => {
    const handed = installLink.test(word) ? handedBy(word) : '';
    return takeObjects(handed, take) === handed ? word : ' ';
  });
  const withoutJson = takeObjects(withoutLinks, take).replace(/\S+/g, (word) => {
    const json = decodedWord(word);
    return takeObjects(json, take) === json ? word : ' ';
  });
  // As shells write JSON between double quotes.
  const unquoted = withoutJson.replaceAll('\\"', '"');
  const left = takeObjects(unquoted, take);
  const rest = (left === unquoted ? withoutJson : left).replace(
    inCode,
    (_, quoted: string | undefined, bare: string, given: string) => {
      const args = given.split(',').flatMap((one) => one.match(textForm)?.[0] ?? []);
      take({ command: quoted ?? bare, args });
      return ' ';
    },
  );
  const readers = [parseToml, readYaml];
  return {
    servers,
    rest: rest.replace(settings, (some) =>
      launching.test(some) &&
      some.split(/[[{]/).length < mostNested &&
      readers.some((read) => take(attempt(() => read(some))))
        ? '\n'
        : some,
    ),
  };
}
