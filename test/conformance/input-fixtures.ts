import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  type InputRequiredResult,
  inputRequired,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';

// The multi-round-trip fixtures of the conformance suite: what each asks its client for, by the suite's
// names.

const codec = createRequestStateCodec<{ tool: string; round: number }>({
  key: crypto.getRandomValues(new Uint8Array(32)),
});

/** Checks the state that clients send back; the SDK refuses a changed one. */
export const requestState = { verify: codec.verify };

type Requests = NonNullable<Parameters<typeof inputRequired>[0]['inputRequests']>;
type FormSchema = Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];
type Properties = Extract<FormSchema, { properties: object }>['properties'];
const description = 'A fixture of the conformance suite.';
const text = { type: 'string' } as const;

const form = (message: string, properties: Properties) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
  });
const freeForm = (message: string, properties: Properties) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: [] } });
const sample = (prompt: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens: 100,
  });

const name = () => form('What is your name?', { name: text });
const option = (value: string, title: string) => ({ const: value, title });
const titled = [option('value1', 'First Option'), option('value2', 'Second Option')];

/** One tool: what it asks for in each round; `stated` rounds carry a signed state. */
interface Asker {
  readonly rounds: readonly ((args: Record<string, unknown>) => Requests)[];
  readonly stated?: true;
  readonly arguments?: readonly string[];
}

const askers: Readonly<Record<string, Asker>> = {
  test_sampling: {
    rounds: [({ prompt }) => ({ completion: sample(String(prompt)) })],
    arguments: ['prompt'],
  },
  test_elicitation: {
    rounds: [({ message }) => ({ profile: form(String(message), { username: text, email: text }) })],
    arguments: ['message'],
  },
  test_elicitation_sep1034_defaults: {
    rounds: [
      () => ({
        details: freeForm('Your details', {
          name: { ...text, default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { ...text, enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        }),
      }),
    ],
  },
  test_elicitation_sep1330_enums: {
    rounds: [
      () => ({
        choices: freeForm('Your choices', {
          untitledSingle: { ...text, enum: ['option1', 'option2'] },
          titledSingle: { ...text, oneOf: titled },
          legacyEnum: { ...text, enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
          untitledMulti: { type: 'array', items: { ...text, enum: ['option1', 'option2'] } },
          titledMulti: { type: 'array', items: { anyOf: titled } },
        }),
      }),
    ],
  },
  test_input_required_result_elicitation: { rounds: [() => ({ user_name: name() })] },
  test_input_required_result_sampling: { rounds: [() => ({ completion: sample('The capital of France?') })] },
  test_input_required_result_list_roots: { rounds: [() => ({ client_roots: inputRequired.listRoots() })] },
  test_input_required_result_request_state: {
    rounds: [() => ({ confirm: form('Proceed?', { ok: { type: 'boolean' } }) })],
    stated: true,
  },
  test_input_required_result_tampered_state: {
    rounds: [() => ({ confirm: form('Proceed?', { ok: { type: 'boolean' } }) })],
    stated: true,
  },
  test_input_required_result_multiple_inputs: {
    rounds: [
      () => ({ user_name: name(), greeting: sample('Say hello.'), client_roots: inputRequired.listRoots() }),
    ],
    stated: true,
  },
  test_input_required_result_multi_round: {
    rounds: [() => ({ step1: name() }), () => ({ step2: form('Which colour?', { color: text }) })],
    stated: true,
  },
  test_missing_capability: { rounds: [() => ({ completion: sample('Ping.') })] },
  test_streaming_elicitation: { rounds: [() => ({ user_name: name() })] },
};

type Answers = ServerContext['mcpReq']['inputResponses'];

/** Whether what was asked for came back: a form filled in as asked, or any result of the other kinds. */
function isAnswered(asked: Requests, answers: Answers): boolean {
  return Object.entries(asked).every(([key, request]) => {
    if (request.method !== 'elicitation/create') return answers?.[key] !== undefined;
    const content = acceptedContent<Record<string, unknown>>(answers, key);
    const { required = [] } = (request.params as { requestedSchema: { required?: string[] } })
      .requestedSchema;
    return (
      content !== undefined &&
      required.every(
        (field) =>
          content[field] !== undefined && content[field] !== null && typeof content[field] !== 'object',
      )
    );
  });
}

const done = (answers: Answers, said: string) => ({
  content: [{ type: 'text' as const, text: `${said} ${JSON.stringify(answers ?? {})}` }],
});

async function ask(tool: string, asker: Asker, args: Record<string, unknown>, context: ServerContext) {
  const { inputResponses } = context.mcpReq;
  const round = asker.stated ? (context.mcpReq.requestState<{ round: number }>()?.round ?? 0) : 0;
  const current = asker.rounds[round]?.(args);
  const answered = current !== undefined && isAnswered(current, inputResponses);
  const next = answered ? round + 1 : round;
  const asked = asker.rounds[next]?.(args);
  if (!asked) return done(inputResponses, 'Answered:');
  const state = asker.stated && { requestState: await codec.mint({ tool, round: next }, context) };
  return inputRequired({ inputRequests: asked, ...state });
}

/** Asks only for what the client said it can do. */
async function askWithinCapabilities(context: ServerContext) {
  const { inputResponses, envelope } = context.mcpReq;
  const sent = envelope as Readonly<Record<string, unknown>> | undefined;
  const declared = sent?.[CLIENT_CAPABILITIES_META_KEY] as Record<string, unknown> | undefined;
  const requests: Requests = {
    ...(declared?.elicitation !== undefined && { user_name: name() }),
    ...(declared?.sampling !== undefined && { completion: sample('Say hello.') }),
  };
  if (Object.keys(requests).length === 0 || isAnswered(requests, inputResponses))
    return done(inputResponses, 'Nothing more to ask.');
  const requestState = await codec.mint(
    { tool: 'test_input_required_result_capabilities', round: 0 },
    context,
  );
  return inputRequired({ inputRequests: requests, requestState });
}

function askInPrompt(context: ServerContext) {
  const asked = { user_context: form('Which context?', { context: text }) };
  if (!isAnswered(asked, context.mcpReq.inputResponses)) return inputRequired({ inputRequests: asked });
  const said = JSON.stringify(context.mcpReq.inputResponses);
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: said } }] };
}

/** Registers the fixtures that ask their client for input. */
export function registerInputFixtures(server: McpServer): void {
  for (const [tool, asker] of Object.entries(askers)) {
    const names = asker.arguments ?? [];
    const inputSchema = fromJsonSchema<Record<string, unknown>>({
      type: 'object',
      properties: Object.fromEntries(names.map((argument) => [argument, text])),
      required: [...names],
    });
    server.registerTool(tool, { description, inputSchema }, (args, context) =>
      ask(tool, asker, args, context),
    );
  }
  server.registerTool('test_input_required_result_capabilities', { description }, askWithinCapabilities);
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description },
    (
      context,
    ): InputRequiredResult | { messages: { role: 'user'; content: { type: 'text'; text: string } }[] } =>
      askInPrompt(context),
  );
}
