/**
 * Hosting domains that are missing from the public-suffix list (tldts, November 2026): each host below them is a publisher
 * of its own. Those under which several namespaces of the registry publish, and services where anyone gets a host.
 */
export const hostingDomains: readonly string[] = [
  'alpic.live',
  'skybridge.tech',
  'apify.actor',
  'azurecontainerapps.io',
  'cloudapp.azure.com',
  'codesandbox.io',
  'fastmcp.app',
  'koyeb.app',
  'loca.lt',
  'modal.run',
  'n8n.cloud',
  'beehiiv.com',
  'godaddysites.com',
  'hashnode.dev',
  'mintlify.app',
  'substack.com',
  'weebly.com',
  'wordpress.com',
];

/** Hosts and domains that serve many publishers: naming one shows nothing in common. */
export const sharedDomains: readonly string[] = [
  'smithery.ai',
  'glama.ai',
  'mcp.so',
  'pulsemcp.com',
  'composio.dev',
  'pipedream.net',
  'apify.com',
  'npmjs.com',
  'npmjs.org',
  'pypi.org',
  'docker.com',
  'nuget.org',
  'huggingface.co',
  'googleapis.com',
  'google.com',
  'medium.com',
  'youtube.com',
  'linkedin.com',
  'x.com',
  'twitter.com',
  'discord.gg',
  'linktr.ee',
  'hackmd.io',
  'notion.so',
];

/** Hosts of forges, and the host that names their accounts. A forge is compared by account, never by host. */
export const forgeHosts: Readonly<Record<string, string>> = {
  'github.com': 'github.com',
  'www.github.com': 'github.com',
  'ssh.github.com': 'github.com',
  'raw.githubusercontent.com': 'github.com',
  'gist.github.com': 'github.com',
  'gitlab.com': 'gitlab.com',
  'www.gitlab.com': 'gitlab.com',
  'altssh.gitlab.com': 'gitlab.com',
  'codeberg.org': 'codeberg.org',
  'bitbucket.org': 'bitbucket.org',
  'altssh.bitbucket.org': 'bitbucket.org',
};
