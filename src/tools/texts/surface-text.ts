import type { ToolDifference } from '../../evidence/kinds/tools/compare-surface.ts';
import { code, list, paragraphs, toInlineText, toQuote } from '../../evidence/text/markdown-text.ts';
import { closingText } from './shared.ts';

/** The answer of check_surface. */
interface SurfaceAnswer {
  readonly handle: string;
  readonly result: string;
  readonly message: string;
  readonly endpoint?: string | undefined;
  readonly differs: readonly ToolDifference[];
  readonly texts?:
    | readonly { readonly name: string; readonly member: string; readonly difference: string }[]
    | undefined;
  readonly repeated?: readonly string[] | undefined;
  readonly not_sent?: readonly string[] | undefined;
  readonly prefix?: string | undefined;
  readonly digest?: string | undefined;
  readonly first_seen_at?: string | undefined;
  readonly observed_at?: string | undefined;
  readonly vantage?: string | undefined;
  readonly earlier?: { readonly first_seen_at: string; readonly seen_until?: string | undefined } | undefined;
  readonly untrusted_fields: readonly string[];
}

const meanings: Readonly<Record<ToolDifference['difference'], string>> = {
  only_here: 'only_here, seen by Dossier and not sent by you',
  only_there: 'only_there, sent by you and not seen by Dossier',
  other: 'other, in both and not the same',
};

const differsLine = ([difference, tools]: [ToolDifference['difference'], readonly ToolDifference[]]) =>
  `${meanings[difference]}: ${tools.map(({ name, members = [] }) => `${code(name)}${members.length > 0 ? ` (${members.join(', ')})` : ''}`).join(', ')}`;

/** The answer of check_surface as Markdown. */
export function toSurfaceText(answer: SurfaceAnswer): string {
  const { endpoint, digest, first_seen_at, observed_at, vantage, earlier, texts = [] } = answer;
  const byDifference = [...Map.groupBy(answer.differs, ({ difference }) => difference)];
  return paragraphs(
    `${code(answer.handle)}: ${answer.result}. ${toInlineText(answer.message)}`,
    byDifference.length > 0 && list(byDifference, differsLine),
    answer.repeated && `Names of several tools: ${answer.repeated.map(code).join(', ')}`,
    answer.prefix && `Prefix of your host: ${code(answer.prefix)}`,
    texts.length > 0 &&
      `Texts, [-as Dossier saw them-]{+as you sent them+}:\n${list(texts, ({ name, member, difference }) => `${code(name)} ${code(member)}: ${toQuote(difference)}`)}`,
    digest !== undefined &&
      `Seen at ${code(endpoint ?? '')} from ${vantage}, first ${first_seen_at}, last ${observed_at}; digest ${digest}`,
    earlier &&
      `Your tools: seen first ${earlier.first_seen_at}${earlier.seen_until ? `, last ${earlier.seen_until}` : ''}; another set followed.`,
    closingText(answer),
  );
}
