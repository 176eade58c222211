import type { Fetched } from '../../observation/answer.ts';
import type { EndpointLook } from '../../observation/endpoint-look.ts';
import { defineKind } from '../../observation/kind.ts';
import type { Look } from '../../observation/look.ts';
import type { Finding } from '../../observation/observation.ts';
import { readObject } from '../../text/json-object.ts';
import { ownProbe, withoutAnswer } from '../remotes.ts';

const parameter = /resource_metadata\s*=\s*"([^"\s]{1,2048})"/i;

/** Where RFC 9728 metadata of an endpoint is: as its 401 says, else at the well-known address of its path. */
function metadataUrl({ url, responses }: EndpointLook): string {
  const challenge = responses.find(({ status }) => status === 401)?.headers['www-authenticate'] ?? '';
  const named = URL.parse(parameter.exec(challenge)?.[1] ?? '');
  const endpoint = new URL(url);
  // Metadata elsewhere would be another host's word about this one.
  if (named?.origin === endpoint.origin) return named.href;
  const path = endpoint.pathname === '/' ? '' : endpoint.pathname;
  return new URL(`/.well-known/oauth-protected-resource${path}`, endpoint).href;
}

const longestText = 2048;

const toText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, longestText) : undefined;

const listOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value
        .map(toText)
        .filter((item) => item !== undefined)
        .slice(0, 20)
    : [];

/** RFC 8414: the well-known segment goes between host and path of the issuer. */
function serverMetadataUrl(issuer: string): string | undefined {
  const url = URL.parse(issuer);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const path = url.pathname === '/' ? '' : url.pathname;
  return new URL(`/.well-known/oauth-authorization-server${path}`, url).href;
}

async function ofServer(look: Look, issuer: string) {
  const at = serverMetadataUrl(issuer);
  const answer = at === undefined ? undefined : await look.get(at);
  const metadata =
    answer?.result === 'response' && answer.status === 200 ? readObject(answer.text) : undefined;
  if (!metadata) return { issuer, metadata: 'not_found' };
  return {
    issuer,
    metadata: 'found',
    dynamic_registration: typeof metadata.registration_endpoint === 'string',
    client_id_metadata_document: metadata.client_id_metadata_document_supported === true,
  };
}

async function toFinding(look: Look, url: string, answer: Fetched): Promise<Finding> {
  const metadata = answer.status === 200 ? readObject(answer.text) : undefined;
  if (!metadata)
    return {
      subject: url,
      value: null,
      state: 'not_found',
      reason: 'The endpoint asks for credentials and publishes no OAuth metadata (RFC 9728).',
      source: ownProbe,
      source_url: answer.url,
    };
  const servers = listOf(metadata.authorization_servers).slice(0, 3);
  return {
    subject: url,
    value: servers.join(', ') || 'names no authorization server',
    state: 'observed',
    details: {
      resource: toText(metadata.resource) ?? null,
      scopes_supported: listOf(metadata.scopes_supported),
      authorization_servers: await Promise.all(servers.map((issuer) => ofServer(look, issuer))),
    },
    source: ownProbe,
    source_url: answer.url,
  };
}

/** OAuth metadata of the endpoints that ask for credentials. */
export const accessOauth = defineKind({
  kind: 'auth.oauth',
  question: 'access',
  title: 'OAuth sign-in',
  means: 'The authorization servers that the endpoint names in its protected-resource metadata (RFC 9728).',
  doesNotMean: 'Dossier does not sign in; it does not say what an account costs or who gets one.',
  method_version: 'auth/1',
  applies: () => false,
  async check(look) {
    const found: Finding[] = [];
    for (const remote of look.listing.remotes) {
      const endpoint = await look.endpoint(remote);
      if (endpoint.result !== 'answered' || !endpoint.responses.some(({ status }) => status === 401))
        continue;
      const answer = await look.get(metadataUrl(endpoint));
      found.push(
        answer.result === 'response'
          ? await toFinding(look, remote.url, answer)
          : withoutAnswer(answer, remote.url),
      );
    }
    return found;
  },
});
