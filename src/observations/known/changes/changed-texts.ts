import { difference } from '../../../core/difference/difference.ts';
import {
  type ComparisonBudget,
  differenceWithin,
  type TextPart,
} from '../../../core/difference/word-difference.ts';
import { asMembers } from '../../../core/json.ts';
import { toShownName } from '../../../core/text.ts';
import { nameOf, type Surface, type SurfaceMember } from '../../asked/endpoint/surface.ts';
import { type NamedMember, textsOf, toNamed } from '../kinds/lists/member-changes.ts';

export type ChangedText = NamedMember & { readonly member: string; readonly difference: readonly TextPart[] };

const mostTexts = 200;
const longestName = 200;

const readTexts = (member: SurfaceMember) =>
  Object.fromEntries(
    textsOf(member)
      .take(mostTexts)
      .map(([place, text]) => [place.join('.').slice(0, longestName), text] as const),
  );

export function* changedTexts(
  surface: Surface,
  before: readonly SurfaceMember[],
  after: readonly SurfaceMember[],
  budget: ComparisonBudget,
): Generator<ChangedText> {
  const found = difference(before, after, { key: (member) => nameOf(member, surface) });
  for (const { name = '', was, is } of found.filter(({ inside }) => inside)) {
    const [old, now] = [was, is].map((one) => readTexts(surface.byName(asMembers(one))));
    const named = toNamed(toShownName(name.slice(0, longestName)), surface);
    for (const { path, ...text } of difference(old, now)) {
      const words = differenceWithin(budget, String(text.was ?? ''), String(text.is ?? ''));
      if (words) yield { ...named, member: toShownName(path.join()), difference: words };
    }
  }
}
