import { describe, expect, it } from 'vitest';
import { Holder, recordedIdentities } from '../../src/core/identity.ts';

type NamingRecord = Parameters<typeof recordedIdentities>[1];

const statedBy = (record: Partial<NamingRecord>) =>
  recordedIdentities('io.github.alice/a', { remotes: [], packages: [], ...record })
    .filter(({ kind }) => kind === 'stated')
    .map(({ value }) => value);
const hostsOf = (...urls: string[]) => statedBy({ remotes: urls.map((url) => ({ url })) });

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

describe('a package', () => {
  it.each([
    ['oci', 'ghcr.io/Owner/server:1.0.0', 'github.com/owner'],
    ['OCI', 'ghcr.io/owner/group/server@sha256:00ff', 'github.com/owner'],
    ['oci', 'docker.pkg.github.com/owner/repository/server:1', 'github.com/owner'],
    ['oci', 'registry.gitlab.com/owner/project/server', 'gitlab.com/owner'],
    ['oci', 'codeberg.org/owner/server:latest', 'codeberg.org/owner'],
    ['mcpb', 'https://github.com/OWNER/x/releases/download/v1/x.mcpb', 'github.com/owner'],
    ['mcpb', 'https://gitlab.com/owner/x/-/releases/v1/downloads/x.mcpb', 'gitlab.com/owner'],
    ['mcpb', 'https://raw.githubusercontent.com/owner/x/main/x.mcpb', 'github.com/owner'],
    ['mcpb', 'https://codeload.github.com/owner/x/zip/refs/heads/main', 'github.com/owner'],
    ['mcpb', 'https://owner.github.io/x.mcpb', 'github.com/owner'],
    ['other', 'https://github.com/owner/x/archive/v1.tar.gz', 'github.com/owner'],
  ])('of %s names the account of a forge: %s', (registry_type, identifier, account) => {
    expect(statedBy({ packages: [{ registry_type, identifier }] })).toEqual([account]);
  });
  it.each([
    ['oci', 'docker.io/owner/server:1.0'],
    ['oci', 'owner/server'],
    ['oci', 'github.com.evil.com/owner/server'],
    ['npm', 'ghcr.io/owner/server'],
    ['npm', '@owner/server'],
    ['pypi', 'owner'],
    ['mcpb', 'https://downloads.example.com/owner/x.mcpb'],
    ['mcpb', 'https://gitlab.com/api/v4/projects/12/packages/generic/x/1/x.mcpb'],
    ['mcpb', 'https://github.com'],
    ['mcpb', 'owner.mcpb'],
  ])(
    'of %s elsewhere names nobody, because strangers share the hosts of downloads: %s',
    (registry_type, identifier) => {
      expect(statedBy({ packages: [{ registry_type, identifier }] })).toEqual([]);
    },
  );
});

it.each([
  'https://github.com/apps/x',
  'https://github.com/marketplace/x',
  'https://github.com/mcp/owner/x',
  'https://gitlab.com/explore',
  'https://codeberg.org/api/v1/x',
])('a page of a forge that is no account names nobody: %s', (website) => {
  expect(statedBy({ website })).toEqual([]);
});

it.each([
  ['vercel.app', 'dns:p1.vercel.app', 'dns:P2.VERCEL.APP', 'dns:deep.p3.vercel.app', 'dns:p4.vercel.app.'],
  ['vercel.app', 'dns:vercel.app', 'dns:xn--e1afmkfd.vercel.app'],
  ['loca.lt', 'dns:a.loca.lt', 'dns:b.c.loca.lt'],
  ['workers.dev', 'dns:a.workers.dev', 'dns:a.b.workers.dev'],
  ['amazonaws.com', 'dns:x.s3.amazonaws.com', 'dns:x.s3.us-east-1.amazonaws.com'],
  ['amazonaws.com', 'dns:ec2-1.compute.amazonaws.com'],
  ['eu.org', 'dns:a.eu.org', 'dns:b.eu.org'],
  ['uk.com', 'dns:a.uk.com', 'dns:b.uk.com'],
  ['azure.com', 'dns:a.cloudapp.azure.com', 'dns:b.westeurope.cloudapp.azure.com'],
  ['github.com/alice', 'dns:alice.github.io', 'dns:repo.alice.github.io', 'github.com/Alice'],
  ['github.com/alice', 'www.github.com/alice', 'ssh.github.com:443/alice'],
  ['evil.com', 'dns:evil.com', 'dns:a1.evil.com', 'dns:vercel.app.evil.com'],
  ['unlisted.zzz', 'dns:a.unlisted.zzz', 'dns:b.unlisted.zzz'],
  ['a.co.uk', 'dns:a.co.uk', 'dns:b.a.co.uk'],
])('who has one account is counted as one source, %s', (source, ...roots) => {
  expect(new Set(roots.map((root) => new Holder(root).counted))).toEqual(new Set([source]));
});
