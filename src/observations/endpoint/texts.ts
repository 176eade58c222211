import type { EndpointAnswer } from './conversation.ts';
import { type Member, type SurfaceName, surfaceNames } from './surface.ts';

/** The list of a surface, or why there is none; undefined where it is not declared. */
export const listOf = ({ list, besides }: EndpointAnswer, name: SurfaceName) =>
  name === 'tools' ? list : besides[name];

/** The members of all lists that an endpoint sent, in name order. */
export const membersOf = (
  endpoint: EndpointAnswer,
): readonly { readonly surface: SurfaceName; readonly member: Member }[] =>
  surfaceNames.flatMap((surface) => {
    const list = listOf(endpoint, surface);
    return list?.result === 'listed' ? list.digested.map(({ member }) => ({ surface, member })) : [];
  });

/** Whether an endpoint sent any text for models. */
export const hasTexts = (endpoint: EndpointAnswer): boolean =>
  endpoint.introduction?.instructions !== undefined ||
  surfaceNames.some((name) => listOf(endpoint, name)?.result === 'listed');

/** Whether every list that an endpoint has was read, so that nothing is missing of its texts for models. */
export const isWhole = (endpoint: EndpointAnswer): boolean =>
  surfaceNames.every((name) => (listOf(endpoint, name)?.result ?? 'listed') === 'listed');
