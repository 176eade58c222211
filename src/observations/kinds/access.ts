import { z } from 'zod';
import { type JsonObject, readObject } from '../../core/json.ts';
import { code, codes, join, own, say, type Words } from '../../core/words.ts';
import {
  challengesOf,
  type Fetched,
  longestAddress,
  type NoAnswer,
  noAnswer,
  notAsked,
  returned,
} from '../../net/answer.ts';
import type { EndpointAnswer } from '../endpoint/conversation.ts';
import { defineKind, type ShownFinding } from '../kind.ts';
import { isUnanswered } from '../outcome.ts';
import { ofRareRemotes, ofRemotes, withoutAnswer } from '../remotes.ts';
import type { Run } from '../run.ts';

const pathOf = ({ pathname }: URL) => (pathname === '/' ? '' : pathname);

/** Where clients look for the RFC 9728 metadata of an endpoint: where its challenge says, at its path, at its root. */
function metadataUrls(response: Fetched): string[] {
  const stated = challengesOf(response).map(({ parameters }) => parameters.get('resource_metadata'));
  const named = URL.parse(stated.find(Boolean) ?? '');
  const endpoint = new URL(response.url);
  const wellKnown = '/.well-known/oauth-protected-resource';
  return [
    // Metadata elsewhere would be another host's word about this one; behind TLS a service may not know that it is https.
    ...(named?.host === endpoint.host ? [`${endpoint.origin}${named.pathname}${named.search}`] : []),
    `${endpoint.origin}${wellKnown}${pathOf(endpoint)}`,
    `${endpoint.origin}${wellKnown}`,
  ];
}

/** Where clients look for the metadata of an authorization server: RFC 8414, OpenID Connect Discovery. */
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

/** The first JSON object at these addresses, or why there is none; an answer that another may follow comes before that it is not there. */
async function findObject(
  run: Run,
  urls: readonly string[],
): Promise<{ readonly result: 'object'; readonly object: JsonObject } | NoAnswer> {
  const failures: NoAnswer[] = [];
  for (const url of new Set(urls)) {
    const answer = await run.get(url);
    const object = answer.result === 'response' ? readObject(answer.text) : undefined;
    if (object) return { result: 'object', object };
    failures.push(answer.result === 'response' ? returned(code(url), answer, own('OAuth metadata')) : answer);
  }
  return failures.find(({ outcome }) => outcome !== 'absent' && outcome !== 'asks') ?? noMetadata;
}

const toText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, longestAddress) : undefined;

const mostListed = 1000;

const listOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).slice(0, mostListed).flatMap((item) => toText(item) ?? []);

async function ofServer(run: Run, issuer: string) {
  const found = await findObject(run, serverMetadataUrls(issuer));
  if (found.result !== 'object') return { issuer, metadata: found.outcome };
  const { registration_endpoint, client_id_metadata_document_supported } = found.object;
  return {
    issuer,
    metadata: 'found',
    dynamic_registration: typeof registration_endpoint === 'string',
    client_id_metadata_document: client_id_metadata_document_supported === true,
  };
}

const noCredentials = noAnswer('nothing', own('The endpoint did not ask for credentials.'));

/** Whether another answer may come the next time. */
const isOpen = (list: EndpointAnswer['list']): list is NoAnswer =>
  list.result === 'no_answer' && isUnanswered(list.outcome);

async function toFinding({ credentials, list }: EndpointAnswer, run: Run) {
  if (!credentials) return isOpen(list) ? list : noCredentials;
  const found = await findObject(run, metadataUrls(credentials));
  if (found.result !== 'object') return withoutAnswer(found);
  const { authorization_servers: stated } = found.object;
  const isLong = (server: unknown) => typeof server === 'string' && server.length > longestAddress;
  if (Array.isArray(stated) && stated.some(isLong)) {
    return notAsked(
      own(
        'The OAuth metadata names an authorization server with more than 2,048 characters, which Dossier does not read.',
      ),
    );
  }
  const servers = listOf(stated).slice(0, 3);
  const scopes = listOf(found.object.scopes_supported);
  const resource = toText(found.object.resource) ?? null;
  return {
    // What a list of the metadata has first or last says nothing.
    value: { issuers: servers, scopes: scopes.toSorted(), resource },
    outcome: 'seen' as const,
    details: { scopes: scopes.length },
    // What the hosts of others answer on a day is no change of this endpoint.
    as_seen: { authorization_servers: await Promise.all(servers.map((issuer) => ofServer(run, issuer))) },
  };
}

const signIn = z.strictObject({
  issuers: z.array(z.string()),
  scopes: z.array(z.string()),
  /** What the tokens are for, as the metadata says. */
  resource: z.string().nullable(),
});
const mostScopes = 8;

/** Through whom callers sign in, as the end of a phrase: `through` the authorization servers. */
export function signInWords(value: unknown): Words {
  const { issuers = [] } = signIn.safeParse(value).data ?? {};
  return issuers.length > 0 ? say` through ${codes(issuers)}` : own(', which names no authorization server');
}

/** The authorization servers, and the scopes that the metadata names; a value holds the scopes that fit into 1 KiB. */
function withScopes({ value: { issuers, scopes }, details }: ShownFinding<z.infer<typeof signIn>>): Words {
  const servers = issuers.length > 0 ? codes(issuers) : own('names no authorization server');
  if (scopes.length === 0) return servers;
  const more = Math.max(scopes.length, Number(details?.scopes ?? 0)) - mostScopes;
  const named = join(
    scopes.slice(0, mostScopes).map((scope) => code(scope)),
    ', ',
  );
  return say`${servers}; scopes ${named}${more > 0 ? say` and ${more} more` : own('')}`;
}

/** OAuth metadata of the endpoints that ask for credentials. */
export const accessOauth = defineKind({
  kind: 'auth.oauth',
  value: signIn,
  line: 'asks',
  question: 'access',
  title: 'OAuth sign-in',
  means:
    'The authorization servers and scopes that the endpoint names in its protected-resource metadata (RFC 9728).',
  doesNotMean: 'Dossier does not sign in; it does not say what an account costs or who gets one.',
  method_version: 'auth/3',
  say: withScopes,
  ...ofRareRemotes(toFinding),
});

/** Whether an endpoint asks for credentials before it introduces itself. */
export const accessRequired = defineKind({
  kind: 'auth.required',
  value: z.boolean(),
  sayChange: (_was, { value }, between) =>
    value === true
      ? say`Asks for credentials first, and did not before (${between})`
      : say`Asks for no credentials first, and did before (${between})`,
  line: 'asks',
  isLocked: true,
  question: 'access',
  title: 'Asks for credentials first',
  means:
    'Whether the endpoint asked for credentials when Dossier asked it without any what it is and which tools it has: no, if it introduced itself or asked for a payment.',
  doesNotMean:
    'An endpoint that shows its tools to everyone may still ask for credentials when one is called.',
  method_version: 'auth/2',
  ...ofRemotes(({ credentials, list, open }) =>
    credentials || !isOpen(list)
      ? { value: credentials !== undefined, outcome: 'seen', ...(open && { open }) }
      : list,
  ),
});
