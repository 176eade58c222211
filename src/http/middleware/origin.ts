import ipaddr from 'ipaddr.js';
import type { Config } from '../../config/config.ts';

/** Whether a host name is one of this machine or of a private network (RFC 1918, RFC 4193, .internal, .local). */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() !== 'unicast';
  return !host.includes('.') || /\.(localhost|internal|local|lan|home\.arpa)$/i.test(host);
}

const isLoopback = ({ hostname }: URL) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

/** Whether the page of an origin may call the MCP endpoint; undefined is a caller that is no page. */
export type OriginCheck = (origin: string | undefined) => boolean;

/**
 * A public service has no cookies and answers pages of any site. One on loopback or in a private network would be open
 * to every page that somebody there has open, so that it answers only its own pages and those of ALLOWED_ORIGINS
 * (MCP, Streamable HTTP: "Servers MUST validate the Origin header").
 */
export function createOriginCheck({
  publicUrl,
  allowedOrigins,
}: Pick<Config, 'publicUrl' | 'allowedOrigins'>): OriginCheck {
  const own = new URL(publicUrl);
  if (!isPrivateHost(own.hostname)) return () => true;
  const allowed = new Set([own.origin, ...allowedOrigins.map((text) => new URL(text).origin)]);
  return (origin) => {
    if (origin === undefined || allowed.has(origin)) return true;
    const url = URL.parse(origin);
    return url !== null && isLoopback(own) && isLoopback(url) && url.port === own.port;
  };
}
