import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A call that the model makes, one a turn. */
export interface ScriptedCall {
  readonly tool: string;
  readonly input: object;
}
/** What a host handed the model. */
export interface Handed {
  /** Tools of the service under test, as the host describes them to the model. */
  readonly tools: readonly string[];
  /** What the model was shown as the result of each call, in the order of the calls. */
  readonly results: readonly string[];
}
// biome-ignore lint/suspicious/noExplicitAny: requests of four protocols, of which a few members are read.
type Body = any;
interface Tool {
  readonly name: string;
  readonly namespace?: string;
  readonly shown: string;
}
interface Turn {
  readonly tool: Tool | undefined;
  readonly input: object;
  readonly id: string;
}
/** How a protocol lists tools and results, and writes the turn of a model. */
interface Protocol {
  readonly path: RegExp;
  tools(body: Body): Tool[];
  results(body: Body): string[];
  events(turn: Turn): readonly (object | string)[];
}

const text = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part) => (part as { text?: string }).text ?? JSON.stringify(part)).join('\n')
      : JSON.stringify(content);
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const shown = (name: string, description: unknown, schema: unknown) =>
  JSON.stringify({ name, description, schema });

const anthropic: Protocol = {
  path: /\/v1\/messages(?!\/count)/,
  tools: ({ tools = [] }) =>
    tools.map((one: Body) => ({ name: one.name, shown: shown(one.name, one.description, one.input_schema) })),
  results: ({ messages = [] }) =>
    messages
      .flatMap(({ content }: Body) => (Array.isArray(content) ? content : []))
      .filter(({ type }: Body) => type === 'tool_result')
      .map(({ content }: Body) => text(content)),
  events({ tool, input, id }) {
    const block = tool ? { type: 'tool_use', id, name: tool.name, input: {} } : { type: 'text', text: '' };
    const delta = tool
      ? { type: 'input_json_delta', partial_json: JSON.stringify(input) }
      : { type: 'text_delta', text: 'Done.' };
    const message = { id, type: 'message', role: 'assistant', content: [], model: 'scripted', usage };
    const stop_reason = tool ? 'tool_use' : 'end_turn';
    return [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ];
  },
};

const responses: Protocol = {
  path: /\/responses$/,
  tools: ({ tools = [] }) =>
    tools.flatMap((one: Body) =>
      (one.type === 'namespace' ? one.tools : [one]).map((tool: Body) => ({
        name: tool.name ?? one.type,
        ...(one.type === 'namespace' && { namespace: one.name }),
        shown: shown(tool.name, tool.description, tool.parameters),
      })),
    ),
  results: ({ input = [] }) =>
    input
      .filter(({ type }: Body) => type === 'function_call_output')
      .map(({ output }: Body) => text(output?.content ?? output)),
  events({ tool, input, id }) {
    const item = tool
      ? {
          type: 'function_call',
          id: `fc_${id}`,
          call_id: id,
          name: tool.name,
          ...(tool.namespace && { namespace: tool.namespace }),
          arguments: JSON.stringify(input),
        }
      : { type: 'message', role: 'assistant', id, content: [{ type: 'output_text', text: 'Done.' }] };
    return [
      { type: 'response.created', response: { id } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id, usage } },
    ];
  },
};

const completions: Protocol = {
  path: /\/chat\/completions$/,
  tools: ({ tools = [] }) =>
    tools.map(({ function: one }: Body) => ({
      name: one.name,
      shown: shown(one.name, one.description, one.parameters),
    })),
  results: ({ messages = [] }) =>
    messages.filter(({ role }: Body) => role === 'tool').map(({ content }: Body) => text(content)),
  events({ tool, input, id }) {
    const made = { name: tool?.name, arguments: JSON.stringify(input) };
    const delta = tool
      ? { role: 'assistant', tool_calls: [{ index: 0, id, type: 'function', function: made }] }
      : { role: 'assistant', content: 'Done.' };
    const chunk = (choice: object) => ({
      id,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'scripted',
      choices: [{ index: 0, finish_reason: null, ...choice }],
    });
    const finish_reason = tool ? 'tool_calls' : 'stop';
    return [chunk({ delta }), { ...chunk({ delta: {}, finish_reason }), usage }, '[DONE]'];
  },
};

const gemini: Protocol = {
  path: /:(streamGenerateContent|generateContent)/,
  tools: ({ tools = [] }) =>
    tools
      .flatMap(({ functionDeclarations = [] }: Body) => functionDeclarations)
      .map((one: Body) => ({
        name: one.name,
        shown: shown(one.name, one.description, one.parametersJsonSchema ?? one.parameters),
      })),
  results: ({ contents = [] }) =>
    contents
      .flatMap(({ parts = [] }: Body) => parts)
      .filter(({ functionResponse }: Body) => functionResponse)
      .map(({ functionResponse: { response } }: Body) => text(response.output ?? response)),
  events({ tool, input }) {
    const part = tool ? { functionCall: { name: tool.name, args: input } } : { text: 'Done.' };
    const content = { role: 'model', parts: [part] };
    return [{ candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata: {} }];
  },
};

const protocols = [anthropic, responses, completions, gemini];

function answer(response: ServerResponse, events: readonly (object | string)[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const type = typeof event === 'object' && 'type' in event ? `event: ${event.type}\n` : '';
    response.write(`${type}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}

/** The tool of a host whose name ends with that of the service's: hosts put a prefix before it. */
const named = (tools: readonly Tool[], name: string) =>
  tools.find(
    (tool) => tool.name === name || tool.name.endsWith(`_${name}`) || tool.name.endsWith(`-${name}`),
  );

/**
 * A model on loopback that speaks the protocols of Anthropic, OpenAI (both) and Gemini, makes the calls in
 * their order, and keeps what it was handed. `names` are the tools of the service under test.
 */
export async function openScriptedModel(calls: readonly ScriptedCall[], names: readonly string[]) {
  let tools: string[] = [];
  let results: string[] = [];
  let turns = 0;
  const requests: { path: string; body: Body }[] = [];
  async function respond(request: IncomingMessage, response: ServerResponse) {
    const path = request.url ?? '';
    const protocol = protocols.find((one) => one.path.test(path.split('?')[0] ?? ''));
    const body: Body = request.method === 'POST' ? await json(request).catch(() => ({})) : {};
    requests.push({ path, body });
    if (!protocol) {
      response.writeHead(request.method === 'GET' ? 200 : 404, { 'content-type': 'application/json' });
      response.end('{"data":[],"models":[],"input_tokens":1}');
      return;
    }
    const given = protocol.tools(body);
    const ours = names.flatMap((name) => named(given, name)?.shown ?? []);
    if (ours.length > 0) {
      tools = ours;
      results = protocol.results(body);
    }
    const call = ours.length > 0 ? calls[results.length] : undefined;
    const tool = call && named(given, call.tool);
    turns += 1;
    answer(response, protocol.events({ tool, input: call?.input ?? {}, id: `call_${turns}` }));
  }
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    handed: (): Handed => ({ tools, results }),
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}
