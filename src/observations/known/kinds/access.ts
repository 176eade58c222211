import { z } from 'zod';
import { type JsonObject, readObject } from '../../../core/json.ts';
import { code, codes, isEmpty, join, own, say, type Words } from '../../../core/words.ts';
import { longestAddress, mayPass, type NoAnswer, noAnswer, notAsked, returned } from '../../../net/answer.ts';
import { challengesOf } from '../../../net/challenges.ts';
import type { EndpointAnswer } from '../../asked/endpoint/conversation.ts';
import { isLearnedOutcome } from '../../asked/outcome.ts';
import type { CheckRun } from '../../asked/run.ts';
import { type BeforeChange, defineKind, type ShownFinding } from '../kind.ts';
import type { Observation } from '../observation.ts';
import { ofRareRemotes, ofRemotes, withoutAnswer } from './remotes.ts';

const pathOf = ({ pathname }: URL) => (pathname === '/' ? '' : pathname);

/** The metadata at the address must name the resource (RFC 9728 section 3.3). */
type MetadataAddress = Readonly<Record<'at' | 'resource', string>>;

/** Clients look for metadata in this order (MCP, Authorization). */
function metadataAddresses({ url, credentials }: EndpointAnswer): MetadataAddress[] {
  const challenges = credentials ? challengesOf(credentials) : [];
  const stated = challenges.map(({ parameters }) => parameters.get('resource_metadata'));
  const named = URL.parse(stated.find(Boolean) ?? '');
  const endpoint = new URL(credentials?.url ?? url);
  const wellKnown = '/.well-known/oauth-protected-resource';
  const resource = endpoint.href;
  return [
    // Another host cannot speak for this one. The protocol may differ: a service behind a TLS proxy may not
    // know that its address is https.
    ...(named?.host === endpoint.host
      ? [{ at: `${endpoint.origin}${named.pathname}${named.search}`, resource }]
      : []),
    { at: `${endpoint.origin}${wellKnown}${pathOf(endpoint)}`, resource },
    { at: `${endpoint.origin}${wellKnown}`, resource: endpoint.origin },
  ];
}

const isSameUrl = (stated: unknown, url: string): boolean =>
  typeof stated === 'string' && URL.parse(stated)?.href === new URL(url).href;

function isAtOrAbove(stated: unknown, endpoint: URL): boolean {
  const resource = URL.parse(typeof stated === 'string' ? stated : '');
  if (!resource || resource.origin !== endpoint.origin) return false;
  return `${endpoint.pathname}/`.startsWith(`${pathOf(resource).replace(/\/$/, '')}/`);
}

/** RFC 8414 and OpenID Connect Discovery. */
function serverMetadataUrls(issuer: string): string[] {
  const url = URL.parse(issuer);
  if (!url || !/^https?:$/.test(url.protocol)) return [];
  const path = pathOf(url).replace(/\/$/, '');
  return [
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
    `${url.origin}/.well-known/openid-configuration${path}`,
    `${url.origin}${path}/.well-known/openid-configuration`,
  ];
}

const noMetadata = noAnswer(
  'absent',
  own('The endpoint asks for credentials and publishes no OAuth metadata (RFC 9728).'),
);

async function findObject(
  run: CheckRun,
  urls: readonly string[],
  members: readonly string[],
): Promise<{ readonly result: 'object'; readonly object: JsonObject; readonly at: string } | NoAnswer> {
  const failures: NoAnswer[] = [];
  for (const url of new Set(urls)) {
    const answer = await run.get(url);
    const object = answer.result === 'response' ? readObject(answer.text) : undefined;
    if (object && members.some((member) => member in object)) return { result: 'object', object, at: url };
    failures.push(answer.result === 'response' ? returned(code(url), answer, own('OAuth metadata')) : answer);
  }
  return failures.find(({ outcome }) => outcome !== 'absent' && outcome !== 'asks') ?? noMetadata;
}

const toAccessText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, longestAddress) : undefined;

const mostListed = 1000;
const mostIssuers = 3;

const accessList = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).slice(0, mostListed).flatMap((item) => toAccessText(item) ?? []);

async function readServer(run: CheckRun, issuer: string) {
  const found = await findObject(run, serverMetadataUrls(issuer), ['issuer']);
  if (found.result !== 'object') return { issuer, metadata: found.outcome };
  const { issuer: stated, registration_endpoint, client_id_metadata_document_supported } = found.object;
  if (stated !== issuer)
    return { issuer, metadata: 'of_another_issuer', stated_issuer: toAccessText(stated) ?? null };
  return {
    issuer,
    metadata: 'found',
    dynamic_registration: typeof registration_endpoint === 'string',
    client_id_metadata_document: client_id_metadata_document_supported === true,
  };
}

const noCredentials = noAnswer('nothing', own('The endpoint did not ask for credentials.'));
const metadataOfOther = (resource: string | undefined) =>
  noAnswer(
    'nothing',
    say`The endpoint did not ask for credentials; the OAuth metadata of its host ${resource === undefined ? own('does not say which address it is for') : say`is for ${code(resource)}, and not for this address`}.`,
  );
const openWithoutMetadata = noAnswer(
  'absent',
  own('The endpoint did not ask for credentials, and publishes no OAuth metadata (RFC 9728).'),
);

const isUndecided = (list: EndpointAnswer['list']): list is NoAnswer =>
  list.result === 'no_answer' && !isLearnedOutcome(list.outcome);

async function findMetadata(endpoint: EndpointAnswer, run: CheckRun) {
  const addresses = metadataAddresses(endpoint);
  const found = await findObject(
    run,
    addresses.map(({ at }) => at),
    ['resource', 'authorization_servers'],
  );
  if (found.result !== 'object') return found;
  const { resource } = found.object;
  const url = new URL(endpoint.url);
  if (!endpoint.credentials && !isAtOrAbove(resource, url)) return metadataOfOther(toAccessText(resource));
  const isOwn = addresses.some((address) => address.at === found.at && isSameUrl(resource, address.resource));
  return {
    result: 'metadata' as const,
    metadata: found.object,
    isOwn: isOwn || isSameUrl(resource, url.href),
  };
}

async function findAccess(endpoint: EndpointAnswer, run: CheckRun) {
  const { credentials, introduction, list } = endpoint;
  if (!credentials && !introduction) return isUndecided(list) ? list : noCredentials;
  const found = await findMetadata(endpoint, run);
  if (found.result !== 'metadata') {
    if (credentials) return withoutAnswer(found);
    if (found.outcome !== 'absent') return found;
    // The list may need credentials.
    return isUndecided(list) ? list : openWithoutMetadata;
  }
  const { authorization_servers: stated, scopes_supported } = found.metadata;
  const isLong = (server: unknown) => typeof server === 'string' && server.length > longestAddress;
  if (Array.isArray(stated) && stated.some(isLong)) {
    return notAsked(
      own(
        'The OAuth metadata names an authorization server with more than 2,048 characters, which Dossier does not read.',
      ),
    );
  }
  // The order in the metadata has no meaning.
  const issuers = accessList(stated).sort();
  const scopes = accessList(scopes_supported).sort();
  const resource = toAccessText(found.metadata.resource) ?? null;
  return {
    value: { issuers, scopes, resource },
    outcome: 'seen' as const,
    details: {
      issuers: issuers.length,
      scopes: scopes.length,
      ...(!found.isOwn && { differs: ['resource'] }),
    },
    as_seen: {
      ...(!credentials && { introduced_without_credentials: true }),
      // Answers of authorization servers vary daily, which is no change of this endpoint.
      authorization_servers: await Promise.all(
        issuers.slice(0, mostIssuers).map((issuer) => readServer(run, issuer)),
      ),
    },
  };
}

const signIn = z.strictObject({
  issuers: z.array(z.string()),
  scopes: z.array(z.string()),
  resource: z.string().nullable(),
});
type SignIn = z.infer<typeof signIn>;
const mostScopes = 8;
const mostInLine = 4;

const signInServers = z.object({
  authorization_servers: z.array(
    z.object({
      issuer: z.string(),
      metadata: z.string(),
      stated_issuer: z.string().nullable().optional(),
      dynamic_registration: z.boolean().optional(),
      client_id_metadata_document: z.boolean().optional(),
    }),
  ),
});
type SignInServer = z.infer<typeof signInServers>['authorization_servers'][number];

/** Whether a client becomes known there without a person decides whether an agent gets in alone. */
function serverSays(server: SignInServer): Words {
  const { metadata, stated_issuer: stated, dynamic_registration, client_id_metadata_document } = server;
  if (stated !== undefined)
    return say`names ${stated ? say`${code(stated)} as its issuer` : own('no issuer')}, so clients must not use it (RFC 8414)`;
  if (metadata !== 'found') return metadata === 'absent' ? own('was not found') : own('was not read');
  const ways = [
    dynamic_registration && own('register by themselves'),
    client_id_metadata_document && own('have a metadata document of their own as their ID'),
  ];
  const lets = join(ways, ' and ');
  return isEmpty(lets)
    ? own('names no way in which clients register by themselves')
    : say`lets clients ${lets}`;
}

function serversWords({ as_seen }: Pick<Observation, 'as_seen'>): Words {
  const { authorization_servers = [] } = signInServers.safeParse(as_seen).data ?? {};
  const said = authorization_servers.map(
    (one) => say`; the metadata of ${code(one.issuer)} ${serverSays(one)}`,
  );
  const isRead = authorization_servers.some(({ metadata }) => metadata === 'found');
  return say`${join(said, '')}${isRead && own('; the grants that it allows were not read')}`;
}

function issuersWords({ value, details }: Pick<Observation, 'value' | 'details'>): Words | undefined {
  const { issuers = [] } = signIn.safeParse(value).data ?? {};
  const all = Math.max(issuers.length, Number(details?.issuers ?? 0));
  return issuers.length === 0 ? undefined : codes(issuers, mostIssuers, all);
}

/** A long value is stored shortened. */
function scopesWords(
  before: Words,
  { value, details }: Pick<Observation, 'value' | 'details'>,
  most: number,
) {
  const { scopes = [] } = signIn.safeParse(value).data ?? {};
  const all = Math.max(scopes.length, Number(details?.scopes ?? 0));
  return scopes.length > 0 && say`${before}scopes ${codes(scopes, most, all)}`;
}

const namedSignInWords = (found: Pick<Observation, 'value' | 'details' | 'as_seen'>): Words => {
  const servers = issuersWords(found);
  if (found.as_seen?.introduced_without_credentials)
    return say`its metadata names ${servers ?? own('no authorization server')}, so calls may need sign-in`;
  return servers
    ? say`OAuth sign-in through ${servers}${scopesWords(own(', '), found, mostInLine)}`
    : own('OAuth sign-in without an authorization server in its metadata');
};

export const signInWords = (found: Parameters<typeof namedSignInWords>[0]): Words =>
  say`${namedSignInWords(found)}${serversWords(found)}`;

function sayMetadata(found: ShownFinding<SignIn>): Words {
  const { resource } = found.value;
  const servers = issuersWords(found) ?? own('names no authorization server');
  const ofNone = own('; the metadata does not say which address it is for');
  const other =
    resource === null ? ofNone : say`; the metadata is for ${code(resource)}, and not for this address`;
  const later = own('; the endpoint introduced itself without credentials, so calls may need sign-in');
  const isLater = found.as_seen?.introduced_without_credentials;
  const isOther = found.details?.differs !== undefined && other;
  return say`${servers}${scopesWords(own('; '), found, mostScopes)}${isOther}${isLater === true && later}${serversWords(found)}`;
}

function namedOnlyIn(how: Words, is: SignIn, was: SignIn) {
  const scopes = is.scopes.filter((one) => !was.scopes.includes(one));
  const issuers = is.issuers.filter((one) => !was.issuers.includes(one));
  const said = [
    issuers.length > 0 && say`sign-in through ${codes(issuers, mostIssuers)}`,
    scopes.length > 0 &&
      say`${scopes.length === 1 ? own('scope') : own('scopes')} ${codes(scopes, mostScopes)}`,
  ];
  const named = join(said, ' and ');
  return !isEmpty(named) && say`${how}${named}`;
}

/** To what was added, nobody has consented; what is gone may have been needed. */
function signInChange({ value: was }: BeforeChange<SignIn>, now: ShownFinding<SignIn>, between: Words) {
  if (!was) return say`It names what was not seen at the check before: ${namedSignInWords(now)} (${between})`;
  const isWhole = Number(now.details?.scopes ?? 0) <= now.value.scopes.length;
  const added = namedOnlyIn(own('names what it did not name before: '), now.value, was);
  const gone = isWhole && namedOnlyIn(own('no longer names '), was, now.value);
  const said = join([added, gone], ', and ');
  return isEmpty(said) ? undefined : say`Its sign-in ${said} (${between})`;
}

export const accessOauth = defineKind({
  kind: 'auth.oauth',
  answers: 'auth',
  value: signIn,
  line: 'asks',
  question: 'access',
  title: 'OAuth sign-in',
  means:
    'The authorization servers and scopes that the endpoint names in its protected-resource metadata (RFC 9728). Dossier reads this metadata even if the endpoint introduced itself without credentials, since calls may need sign-in.',
  doesNotMean:
    'Dossier does not sign in, reads no grants, and does not know what an account costs or who gets one.',
  method_version: 'auth/5',
  say: sayMetadata,
  sayChange: signInChange,
  weighChange: ({ value }) => (value ? 1 : 3),
  ended: own('It no longer names an OAuth sign-in'),
  isLocked: true,
  ...ofRareRemotes(findAccess),
});

export const accessRequired = defineKind({
  kind: 'auth.required',
  answers: 'auth',
  entryName: 'auth',
  value: z.boolean(),
  say: ({ value }) => (value ? own('yes') : own('no')),
  sayChange: (_was, { value }, between) =>
    value === true
      ? say`It began to ask for credentials first (${between})`
      : say`It stopped asking for credentials first (${between})`,
  line: 'asks',
  isLocked: true,
  question: 'access',
  title: 'Asks for credentials first',
  topic: own('whether it asks for credentials first'),
  means:
    'Whether the endpoint asked for credentials before it listed its tools. Dossier sends no credentials. The answer is no if the endpoint introduced itself, listed its tools, said that it has no such list, or asked only for a payment.',
  doesNotMean:
    'An endpoint that shows its tools to everyone may still ask for credentials when a tool is called.',
  method_version: 'auth/2',
  ...ofRemotes(({ credentials, introduction, list, open }) => {
    if (!credentials && !introduction && isUndecided(list)) return list;
    return {
      value: credentials !== undefined,
      outcome: 'seen',
      ...(open && { open }),
      ...(credentials && mayPass(credentials, 'credentials')),
      // The endpoint may still ask for credentials for its tools.
      ...(!credentials && isUndecided(list) && { rule: 'unsure', why: list.why }),
    };
  }),
});
