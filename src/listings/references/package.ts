import valid from 'semver/functions/valid.js';
import { ownMember } from '../../core/json.ts';

const usualHosts: Readonly<Record<string, readonly string[]>> = {
  npm: ['registry.npmjs.org', 'npmjs.org', 'npmjs.com', 'www.npmjs.com', 'registry.npmjs.com'],
  pypi: ['pypi.org', 'pypi.python.org', 'www.pypi.org', 'upload.pypi.org'],
  nuget: ['api.nuget.org', 'nuget.org', 'www.nuget.org'],
  cargo: ['crates.io', 'static.crates.io', 'index.crates.io'],
  oci: ['docker.io', 'index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com', 'hub.docker.com'],
};

/** Records before September 2025 may say `docker`. */
export const isImageType = (type: string): boolean => /^(?:oci|docker)$/i.test(type);

const toUrl = (base: string) => URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(base) ? base : `https://${base}`);

/** The name of an MCPB file is its address. */
export const isAddress = (identifier: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(identifier);

/** As distribution/reference does ("splitDockerDomain"). */
export function hostOfImage(identifier: string): string | undefined {
  const [first = '', rest] = identifier.split('/', 2);
  return rest !== undefined && (/[.:]/.test(first) || first === 'localhost') ? first : undefined;
}

/**
 * The type's usual base is left out; another one is put before the name of an image without a host. What is
 * no address is still a different registry.
 */
export function placeOfPackage(
  type: string,
  identifier: string,
  base: string,
): { readonly identifier: string; readonly registry_base_url?: string } {
  if (base === '' || isAddress(identifier)) return { identifier };
  const url = toUrl(base);
  const host = url?.host.toLowerCase();
  const usual = ownMember(usualHosts, isImageType(type) ? 'oci' : type.toLowerCase());
  if (host !== undefined && usual?.includes(host)) return { identifier };
  if (!isImageType(type)) return { identifier, registry_base_url: base };
  if (hostOfImage(identifier) !== undefined) return { identifier };
  if (!url || host === undefined) return { identifier, registry_base_url: base };
  const path = url.pathname.replace(/^\/v2\/?$/, '').replace(/\/+$/, '');
  return { identifier: `${host}${path}/${identifier}` };
}

const imageForm = /^(.*?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[a-f0-9]{64}))?$/s;

/** `1.2.0`, `sha256:…` or `1.2.0@sha256:…`. */
export function versionOfImage(identifier: string): string | undefined {
  const host = hostOfImage(identifier);
  const path = host === undefined ? identifier : identifier.slice(host.length + 1);
  const [, , tag, digest] = imageForm.exec(path) ?? [];
  return [tag, digest].filter(Boolean).join('@') || undefined;
}

const steering =
  /^(?:(?:npm_config|uv|pip|bun|dotnet|nuget|docker|podman|ld|dyld|ssl_cert|git)_.*|node_(?:options|path|.*(?:tls|certs).*)|python(?:.*path|startup|home|breakpoint)|path|pathext|comspec|shell|bash_env|env|ifs|home|userprofile|(?:https?|all|no)_proxy|aspnetcore_hosting.*)$/i;

/** Of .NET; they start nothing. */
const harmless = /^dotnet_(?:skip_first_time_experience|nologo|cli_telemetry_optout|cli_ui_language)$/i;

/** Can make a runtime or loader start other code or ask another registry. */
export const steersRuntime = (variable: string): boolean =>
  steering.test(variable) && !harmless.test(variable);

/** PEP 440 without local labels, as PyPI accepts it. */
const pep440 =
  /^v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?\d*)?(?:(?:-\d+)|(?:[-_.]?(?:post|rev|r)[-_.]?\d*))?(?:[-_.]?dev[-_.]?\d*)?$/i;

/** An image's tag with a number counts, although it can be moved. */
export function isExactVersion(type: string, version: string): boolean {
  if (isImageType(type)) return /\d/.test(version);
  return type.toLowerCase() === 'pypi' ? pep440.test(version) : valid(version) !== null;
}
