import { toLlmsTxt } from './llms-txt-body.ts';
import type { Resource } from './resource.ts';

/** The same text as /llms.txt. */
export const llmsTxt: Resource = {
  name: 'llms.txt',
  uri: 'agent://llms.txt',
  title: 'Instructions for agents',
  description: 'What this service is and is not, how to connect, and each tool with when to use it.',
  mimeType: 'text/plain',
  fresh_s: 3600,
  async read(_variables, { config }) {
    return toLlmsTxt(config);
  },
};
