import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import type { Browser, Frame } from 'playwright-core';
import { openPage, type PageTrace } from './browser.ts';

/** A UI resource as the service gives it. */
export interface CardResource {
  readonly mimeType?: string;
  readonly text?: string;
  readonly _meta?: { readonly ui?: { readonly csp?: { readonly [name: string]: readonly string[] } } };
}

/** What the host tells the card about itself. */
export interface HostContext {
  readonly theme?: 'light' | 'dark';
  readonly capabilities?: object;
}

/** A card that is shown, and its requests to its host. */
export interface ShownCard {
  readonly frame: Frame;
  /** Hands over the answer of a tool, as a host does after the call. */
  result(result: object): Promise<void>;
  cancelled(): Promise<void>;
  /** The same message as `result` sends, from another window of the page. */
  forged(result: object): Promise<void>;
  themeChanged(theme: 'light' | 'dark'): Promise<void>;
  /** Requests the card's teardown; returns its answer. */
  teardown(): Promise<unknown>;
  seen(): Promise<{ sizes: { width: number; height: number }[]; links: string[]; app: { name: string } }>;
}

const require = createRequire(import.meta.url);
const root = process.cwd();
/** The host's side of MCP Apps, where the page finds it. */
const appBridge = require
  .resolve('@modelcontextprotocol/ext-apps/app-bridge')
  .replace(/^.*(?=\/node_modules\/@modelcontextprotocol\/)/, '');
const packages = '/node_modules/@modelcontextprotocol';
/** Where a browser finds what the host's library imports. */
const imports = {
  '@modelcontextprotocol/client': `${packages}/client/dist/index.mjs`,
  '@modelcontextprotocol/client/_shims': `${packages}/client/dist/shimsBrowser.mjs`,
  '@modelcontextprotocol/core': `${packages}/core/dist/index.mjs`,
  '@modelcontextprotocol/core/internal': `${packages}/core/dist/internal.mjs`,
  'pkce-challenge': '/node_modules/pkce-challenge/dist/index.browser.js',
  'zod/v4': '/node_modules/zod/v4/index.js',
  eventsource: '/node_modules/eventsource/dist/index.js',
  'eventsource-parser': '/node_modules/eventsource-parser/dist/index.js',
  'eventsource-parser/stream': '/node_modules/eventsource-parser/dist/stream.js',
};

/** A host of MCP Apps: AppBridge over postMessage with a sandboxed frame on another origin. */
const hostPage = `<!doctype html><meta charset="utf-8"><title>host</title><link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">
import { AppBridge, PostMessageTransport } from '${appBridge}';
window.openCard = async (url, { theme, capabilities }) => {
  document.querySelector('iframe')?.remove();
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  frame.style.cssText = 'width:26rem;height:4rem;border:0';
  document.body.append(frame);
  const context = { hostContext: { theme, displayMode: 'inline', availableDisplayModes: ['inline'] } };
  const bridge = new AppBridge(null, { name: 'host', version: '1' }, capabilities, context);
  window.bridge = bridge;
  window.seen = { sizes: [], links: [] };
  bridge.onsizechange = (size) => {
    window.seen.sizes.push(size);
    frame.style.height = size.height + 'px';
  };
  bridge.onopenlink = async ({ url }) => {
    window.seen.links.push(url);
    return {};
  };
  const initialized = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = url;
  await initialized;
  window.seen.app = bridge.getAppVersion();
  await bridge.sendToolInput({ arguments: {} });
};
window.ready = true;
</script>`;

const forge = `(message) => {
  const other = document.createElement('iframe');
  document.body.append(other);
  other.contentWindow.message = message;
  other.contentWindow.eval("parent.frames[0].postMessage(message, '*')");
  other.remove();
}`;

const types: Readonly<Record<string, string>> = { js: 'text/javascript', mjs: 'text/javascript' };

const listen = async (server: Server) => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const serveHost = () =>
  createServer((request, response) => {
    const path = normalize(request.url ?? '/');
    const type = types[path.split('.').at(-1) ?? ''];
    if (path === '/') response.setHeader('content-type', 'text/html').end(hostPage);
    else if (type && path.startsWith('/node_modules/'))
      response.setHeader('content-type', type).end(readFileSync(join(root, path)));
    else response.writeHead(404).end();
  });

/** The headers a host must make of what the resource declares (MCP Apps 2026-01-26, Host Behavior). */
const toCsp = ({
  connectDomains = [],
  resourceDomains = [],
}: {
  readonly [name: string]: readonly string[];
}) => {
  const from = ["'self'", "'unsafe-inline'", ...resourceDomains].join(' ');
  const connect = connectDomains.length > 0 ? connectDomains.join(' ') : "'none'";
  return `default-src 'none'; script-src ${from}; style-src ${from}; img-src 'self' data:; connect-src ${connect}; object-src 'none'; base-uri 'self'`;
};

const serveCard = ({ mimeType, text, _meta }: CardResource) =>
  createServer((_request, response) => {
    if (mimeType !== 'text/html;profile=mcp-app') response.writeHead(500).end();
    else {
      response.setHeader('content-security-policy', toCsp(_meta?.ui?.csp ?? {}));
      response.setHeader('content-type', 'text/html').end(text);
    }
  });

async function openHostPage(browser: Browser, hostUrl: string): Promise<PageTrace> {
  const trace = await openPage(browser, { viewport: { width: 800, height: 600 } });
  await trace.page.goto(hostUrl);
  await trace.page.waitForFunction('window.ready', undefined).catch(() => {
    throw new Error(`the host did not open: ${trace.complaints.join('; ')}`);
  });
  return trace;
}

/** A host in a real browser that shows one resource, one card at a time; close it after use. */
export async function openCardHost(browser: Browser, resource: CardResource) {
  const servers = [serveHost(), serveCard(resource)] as const;
  const hostUrl = await listen(servers[0]);
  const cardUrl = await listen(servers[1]);
  const trace = await openHostPage(browser, hostUrl);
  const { page } = trace;
  const inHost = (script: string, value?: unknown) =>
    page.evaluate(`(${script})(${JSON.stringify(value ?? null)})`);
  return {
    ...trace,
    /** Where the host and the card are. */
    own: [hostUrl, cardUrl],
    async open({ theme, capabilities = { openLinks: {} } }: HostContext = {}): Promise<ShownCard> {
      await inHost('([url, host]) => openCard(url, host)', [`${cardUrl}/`, { theme, capabilities }]);
      const frame = page.frames().find((one) => one.url().startsWith(cardUrl));
      if (!frame) throw new Error('there is no card');
      return {
        frame,
        result: (result) => inHost('(result) => bridge.sendToolResult(result)', result) as Promise<void>,
        forged: (params) =>
          inHost(forge, { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params }) as Promise<void>,
        cancelled: () => inHost('() => bridge.sendToolCancelled({})') as Promise<void>,
        themeChanged: (changed) =>
          inHost('(theme) => bridge.setHostContext({ theme })', changed) as Promise<void>,
        teardown: () => inHost('() => bridge.teardownResource({})'),
        seen: () => page.evaluate('seen') as ReturnType<ShownCard['seen']>,
      };
    },
    async close() {
      await page.close();
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
}
