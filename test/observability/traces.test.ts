import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
let directory: Directory;
beforeAll(async () => {
  trace.setGlobalTracerProvider(provider);
  directory = await openDirectory({ listening: true });
});
beforeEach(() => exporter.reset());
afterAll(async () => {
  await directory.close();
  await provider.shutdown();
  trace.disable();
});

const call = (tool: string, input: object) =>
  fetch(`${directory.url}/api/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });

it('a call of a tool is a span of a loaded OpenTelemetry SDK, without what was asked', async () => {
  await call('search_agents', { query: 'private words' });
  await call('get_agent', { handle: 'com.example/none' });
  const spans = exporter
    .getFinishedSpans()
    .map(({ name, attributes, status }) => ({ name, attributes, status }));
  expect(spans).toEqual([
    {
      name: 'tools/call search_agents',
      attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'search_agents' },
      status: { code: 0 },
    },
    {
      name: 'tools/call get_agent',
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'get_agent',
        'error.type': 'unknown_handle',
      },
      status: { code: 2 },
    },
  ]);
});
