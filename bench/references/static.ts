import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';

/** Files of a folder, each read from the disk when it is asked for. */
export const createStatic = (folder = '.'): Hono => new Hono().get('/*', serveStatic({ root: folder }));
