import { describe, expect, it } from 'vitest';
import { recordedIdentities } from '../../src/evidence/rating/identity.ts';

const hostsOf = (...urls: string[]) =>
  recordedIdentities('io.github.alice/a', {
    repository_key: undefined,
    website: undefined,
    remotes: urls.map((url) => ({ url })),
  })
    .filter(({ kind }) => kind === 'stated')
    .map(({ value }) => value);

describe('the host of a listing', () => {
  it.each([
    'a.vercel.app',
    'mcp-4f2k-uc.a.run.app',
    'mcp-1234567.us-central1.run.app',
    'a.workers.dev',
    'a.up.railway.app',
    'a.onrender.com',
    'a.alpic.live',
    'a.fastmcp.app',
    'alice--app.modal.run',
    'a.env.westeurope.azurecontainerapps.io',
    'a.westeurope.cloudapp.azure.com',
    'a.app.n8n.cloud',
    'a.koyeb.app',
    'a.loca.lt',
    'alice.substack.com',
  ])('at a hosting service is the whole host, so that neighbours have nothing in common: %s', (host) => {
    const [other] = hostsOf(`https://${host.replace(/^[a-z]+/, 'other')}/mcp`);
    expect(hostsOf(`https://${host}/mcp`)).toHaveLength(1);
    expect(hostsOf(`https://${host}/mcp`)).not.toEqual([other]);
  });
  it.each(['server.smithery.ai', 'hackmd.io', 'www.notion.so', 'www.npmjs.com'])(
    'that serves many publishers is none: %s',
    (host) => expect(hostsOf(`https://${host}/alice`)).toEqual([]),
  );
  it('of its own is the domain that its publisher registered', () => {
    expect(hostsOf('https://mcp.Example.com:8443/x', 'https://api.example.com./')).toEqual(['example.com']);
  });
});
