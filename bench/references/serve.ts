import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createFloor, createSdk1, createSdk2 } from './mcp.ts';
import { createStatic } from './static.ts';

const references: Readonly<Record<string, (argument?: string) => Hono>> = {
  hello: () => new Hono().get('/', (c) => c.text('hello')),
  floor: createFloor,
  sdk2: createSdk2,
  sdk1: createSdk1,
  static: createStatic,
};

const [name = '', argument] = process.argv.slice(2);
const create = references[name];
if (!create) throw new Error(`no reference ${name}; there are ${Object.keys(references).join(', ')}`);
serve({ fetch: create(argument).fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`),
);
