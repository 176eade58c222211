import type { NoAnswer } from '../../../net/answer.ts';
import type { EndpointAnswer } from './conversation.ts';
import { type SurfaceMember, type SurfaceName, surfaceNames } from './surface.ts';

const listOf = ({ list, besides }: EndpointAnswer, name: SurfaceName) =>
  name === 'tools' ? list : besides[name];

export const membersOf = (
  endpoint: EndpointAnswer,
): readonly { readonly surface: SurfaceName; readonly member: SurfaceMember }[] =>
  surfaceNames.flatMap((surface) => {
    const list = listOf(endpoint, surface);
    return list?.result === 'listed' ? list.digested.map(({ member }) => ({ surface, member })) : [];
  });

export const hasTexts = (endpoint: EndpointAnswer): boolean =>
  endpoint.introduction?.instructions !== undefined ||
  surfaceNames.some((name) => listOf(endpoint, name)?.result === 'listed');

const isUnread = (list: ReturnType<typeof listOf>): list is NoAnswer =>
  list?.result === 'no_answer' && list.cause !== 'no_method';

/** A list whose method the endpoint does not know has no texts. */
export const whyNotWhole = (endpoint: EndpointAnswer): NoAnswer | undefined =>
  surfaceNames.map((name) => listOf(endpoint, name)).find(isUnread);

const longestPlace = 200;

export function* textsIn(value: unknown, place: string): Generator<[place: string, text: string]> {
  if (typeof value === 'string') yield [place, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const at = `${place}.${name}`.slice(0, longestPlace);
    if (!Array.isArray(value)) yield [at, name];
    yield* textsIn(member, at);
  }
}
