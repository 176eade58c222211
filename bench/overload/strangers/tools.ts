import { answerMcp, type HostilePublisher, type HostilePublishers } from './hostile.ts';

const most_bytes = 2 * 2 ** 20 - 256;
const repeated = (text: string, size_bytes = most_bytes) => text.repeat(Math.floor(size_bytes / text.length));

/** A publisher whose endpoints list these tools, as JSON. */
const listing = (tools: string, more: Partial<HostilePublisher> = {}): HostilePublisher => ({
  remotes: 10,
  ...more,
  answer: (asked) => answerMcp(asked, () => `{"tools":[${tools}]}`),
});

const tool = (name: string, members: string) => `{"name":"${name}",${members}}`;
const tools = (count: number, member: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => tool(`tool-${at}`, member(at))).join();

/** The largest list that is read: 99,000 values in texts that are compared and searched. */
const mostTexts = tools(495, (at) => `"inputSchema":{"enum":[${`"${at}"`.concat(`,"${at}"`.repeat(190))}]}`);

/** Names of members that sort late, other ones at each look. */
const members = (of: number) =>
  Array.from({ length: 90_000 }, (_, at) => `"${of}-${(90_000 - at).toString(36)}":0`).join();

let look = 0;

/** Lists of tools within or beyond the bounds of a list, on ten endpoints each. */
export const toolLists: HostilePublishers = {
  'a-million-numbers': listing(tool('a', `"inputSchema":[${'0,'.repeat(1_000_000)}0]`)),
  'members-without-a-name': listing(tool('a', `"inputSchema":{${repeated('"":[],', 2_000_000)}"":0}`)),
  'most-values': listing(mostTexts),
  'most-texts-of-invisible-characters': listing(
    tools(100, () => `"description":"${'\\u202e\\u200b\u{e0041}'.repeat(1000)}"`),
  ),
  'one-name-for-all': listing(
    Array.from({ length: 500 }, (_, at) => tool('a', `"description":"${String(at).repeat(1200)}"`)).join(),
  ),
  'names-of-objects': listing(
    ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
      .map((name) => tool(name, `"inputSchema":{"${name}":{"$ref":"#"},"properties":{"${name}":true}}`))
      .join(),
  ),
  'schemas-that-refer-to-themselves': listing(
    tools(
      400,
      (at) =>
        `"inputSchema":{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[${`{"$ref":"#/$defs/a"},`.repeat(60)}{}]}},"${at}":1}`,
    ),
  ),
  'as-deep-as-is-read': listing(tools(400, () => `"inputSchema":${'{"a":'.repeat(95)}1${'}'.repeat(95)}`)),
  'a-number-of-a-million-digits': listing(
    tool('a', `"inputSchema":${'9'.repeat(300)}.${'9'.repeat(1_000_000)}`),
  ),
  'large-cursors-without-an-end': {
    remotes: 10,
    answer: (asked) =>
      answerMcp(asked, () => {
        look += 1;
        return `{"tools":[],"nextCursor":"${look}-${'x'.repeat(1_500_000)}"}`;
      }),
  },
};

/**
 * The lists that take longest to read, sort and store within the bounds of a list: names of members, other
 * ones at each look.
 */
export const largestLists: HostilePublishers = {
  'most-members': {
    listings: 6,
    remotes: 10,
    answer: (asked) =>
      answerMcp(asked, () => {
        look += 1;
        return `{"tools":[${tool('a', `"inputSchema":{${members(look)}}`)}]}`;
      }),
  },
};
