import { z } from 'zod';
import { lines } from '../core/text.ts';
import { dayOf, say, toMarkdown, type Words, wordsSchema } from '../core/words.ts';
import { agentAnswer, toAgentAnswer, toAgentText } from '../document/answers/agent-answer.ts';
import { successorOf } from '../document/answers/answers.ts';
import { saidBefore, textsBefore, unsaidOf } from '../document/answers/notices.ts';
import { partAskedMember } from '../document/resolved.ts';
import { readAsked } from './find/asked.ts';
import { dayInput, isListed, onDay } from './find/listing.ts';
import { readOverTime, readPictured } from './find/pictures.ts';
import { namedInput, tagsOfNamed } from './input/fields.ts';
import { cardAddress, defineTool, readsOnly } from './tool.ts';

export const getAgent = defineTool({
  name: 'get_agent',
  title: 'Get a listing with its evidence',
  description:
    'Reads a listing as evidence about an agent service, MCP server, package or command (npx, uvx) before you install, pay or recommend: publisher, whether it answers, malware, credentials, tools, price, changes, from whom, as of when, and what is not known. No verification, recommendation or score; imported signals are not ratings.',
  asked:
    'who is behind it, who runs, maintains, publishes this MCP server, owner, author, maker, developer, vendor, company, identity; is it official, real, genuine, legit, fake, an impersonation or look-alike of a brand; can I trust it, is it safe, secure, reputable, a risk; vet, inspect, assess, look up, background check, due diligence, provenance, pre-install security review; check a package or command before you install or run it with npx, uvx, pip; malware, reported as malicious, compromised, virus, typosquat, scam, advisories, known vulnerabilities, CVE; evidence, details, information, facts about one listing before connecting, buying or subscribing; how much does it cost or charge per call, what is the price, pricing; which credentials, API keys, token, secrets, permissions, access, account, login or auth will it want or need; is it read-only, free, maintained, open source, what license, which data does it get; does the endpoint answer, is the server up, alive, online, reachable, working',
  effects: readsOnly,
  input: z.strictObject({
    handle: namedInput,
    detail: z.enum(['summary', 'full']).optional().describe('full: all facts, and what its publisher can do'),
    as_of: dayInput.describe('Date: as known then'),
  }),
  output: agentAnswer.extend({
    version_asked: wordsSchema
      .optional()
      .describe(
        'Present if the facts are not about all that was asked for: another version, registry or code',
      ),
    part_asked: partAskedMember,
    found_by: wordsSchema.optional().describe('Present if the listing was not found by its handle'),
  }),
  card: cardAddress,
  example: { handle: 'co.webhook/webhook' },
  cacheTags: tagsOfNamed,
  toText: (answer) =>
    lines(
      answer.version_asked && toMarkdown(answer.version_asked),
      answer.found_by && `Found as ${toMarkdown(answer.found_by)}.`,
      answer.part_asked && toMarkdown(answer.part_asked),
      toAgentText({ ...answer, stands_out: unsaidOf(answer) }),
    ),
  async run({ handle, detail = 'summary', as_of }, context) {
    const then = onDay(as_of, context);
    const read = await readAsked(handle, context, then);
    const { facts, document, found_by, version_asked, part_asked, notices } = read;
    const noticed = notices.map(({ text }) => text);
    const successor = successorOf(document);
    const listed = successor && (await isListed(successor, context)) ? successor : undefined;
    const { untrusted_fields, ...answer } = toAgentAnswer(document, detail, context.config, noticed, listed);
    const about = Object.entries({ version_asked, part_asked }).filter(([, words]) => words);
    // What limits the answer comes first, also in JSON.
    return {
      [readPictured]: async () => [document, await readOverTime(facts, then)] as const,
      [saidBefore]: textsBefore(notices),
      ...(Object.fromEntries(about) as { version_asked?: Words; part_asked?: Words }),
      ...(found_by && {
        found_by: as_of ? say`${found_by} (${dayOf(context.clock().toISOString())})` : found_by,
      }),
      ...answer,
      untrusted_fields: [...about.map(([name]) => name), ...untrusted_fields],
    };
  },
});
