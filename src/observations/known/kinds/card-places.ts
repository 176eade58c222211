import { asMembers, readObject } from '../../../core/json.ts';
import { code, own } from '../../../core/words.ts';
import { type NoAnswer, returned } from '../../../net/answer.ts';
import type { CheckRun } from '../../asked/run.ts';
import { placeOf, type ServerCard, toServerCard } from './card-form.ts';

/** Also read for terms of service (terms.ts), so a second read sends no request. */
const catalogs = ['/.well-known/ard.json', '/.well-known/ai-catalog.json'];
/** Of SEP-1649, which SEP-2127 replaces; most cards are here. */
const wellKnown = ['/.well-known/mcp/server-card.json', '/.well-known/mcp.json'];
const cardType = 'application/mcp-server-card+json';
const mostEntries = 1000;
const mostFollowed = 3;

export interface FoundCard {
  readonly result: 'card';
  readonly at: string;
  readonly card: ServerCard;
}

const besideOf = ({ origin, pathname }: URL): string =>
  `${origin}${pathname.replace(/\/+$/, '')}/server-card`;

const shortPath = ({ pathname, search }: URL): string => `${pathname}${search}`.slice(0, 200);

const names = ({ addresses }: ServerCard, url: URL): boolean =>
  addresses.some((one) => placeOf(one) === placeOf(url));

/** A card that names no address at the host is about its only endpoint. */
function isAbout(card: ServerCard, url: URL, run: CheckRun): boolean {
  const isOnly = run.listing.remotes.filter((one) => URL.parse(one.url)?.origin === url.origin).length === 1;
  const isOfHost = card.addresses.some(({ host }) => host === url.host);
  return isOfHost ? names(card, url) : isOnly;
}

function entriesOf(text: string): { readonly data?: unknown; readonly url?: unknown }[] {
  const { entries } = asMembers(readObject(text));
  return (Array.isArray(entries) ? entries : [])
    .slice(0, mostEntries)
    .map(asMembers)
    .filter(({ type }) => type === cardType);
}

/** A catalog may hold cards of other services, so the card must name the endpoint. */
async function findInCatalogs(
  run: CheckRun,
  url: URL,
  asked: ReadonlySet<string>,
): Promise<FoundCard | undefined> {
  let followed = 0;
  for (const path of catalogs) {
    const catalog = await run.get(`${url.origin}${path}`);
    for (const { data, url: stated } of catalog.result === 'response' ? entriesOf(catalog.text) : []) {
      const inline = toServerCard(asMembers(data), `${url.origin}${path}`);
      if (inline && names(inline, url)) return { result: 'card', at: path, card: inline };
      const at = typeof stated === 'string' ? URL.parse(stated, url) : null;
      // Other hosts cannot speak for this one, and a catalog's author must not choose whom Dossier asks.
      if (!at || at.origin !== url.origin || asked.has(at.href) || followed === mostFollowed) continue;
      followed += 1;
      const answer = await run.get(at.href);
      const card =
        answer.result === 'response' ? toServerCard(asMembers(readObject(answer.text)), at.href) : undefined;
      if (card && names(card, url)) return { result: 'card', at: shortPath(at), card };
    }
  }
  return undefined;
}

export async function findCard(run: CheckRun, endpoint: string): Promise<FoundCard | NoAnswer> {
  const url = new URL(endpoint);
  const failures: NoAnswer[] = [];
  const ask = async (at: string, isBeside: boolean): Promise<FoundCard | undefined> => {
    const answer = await run.get(at);
    const card =
      answer.result === 'response' ? toServerCard(asMembers(readObject(answer.text)), at) : undefined;
    if (card && (isBeside || isAbout(card, url, run)))
      return { result: 'card', at: shortPath(new URL(at)), card };
    failures.push(
      answer.result === 'response' ? returned(code(at), answer, own('a server card (MCP)')) : answer,
    );
    return undefined;
  };
  const beside = besideOf(url);
  const first = await ask(beside, true);
  if (first) return first;
  const named = await findInCatalogs(run, url, new Set([beside]));
  if (named) return named;
  for (const path of wellKnown) {
    const found = await ask(`${url.origin}${path}`, false);
    if (found) return found;
  }
  return failures.find(({ outcome }) => outcome !== 'absent') ?? (failures[0] as NoAnswer);
}
