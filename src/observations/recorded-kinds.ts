import type { FactKind } from './kind.ts';
import { kindOf } from './kinds.ts';

/** What buyers ask that no fact answers: its name, and how it is said where nothing is known of it. */
type Asked = Required<Pick<FactKind, 'name'>> & Pick<FactKind, 'isSeldom'> & { readonly isInLines?: true };

const asked: Readonly<Record<string, Asked>> = {
  price: { name: 'price', isInLines: true },
  auth: { name: 'credentials', isInLines: true },
  operator: { name: 'operator' },
  repository: { name: 'repository', isInLines: true },
  'repository.contents': { name: 'repository contents', isSeldom: true },
  'ratings.native': { name: 'what others met', isInLines: true },
  data_handling: { name: 'data handling' },
  region: { name: 'region' },
  licence: { name: 'licence' },
  support: { name: 'support' },
};

/** The name of a kind in a word or two; undefined for one that has only a title. */
export const shortNameOf = (kind: string): string | undefined => kindOf(kind)?.name ?? asked[kind]?.name;

/** Whether the seven lines of an answer say its facts, and what is not known of them. */
export const isInLines = (kind: string): boolean =>
  kindOf(kind)?.line !== undefined || asked[kind]?.isInLines === true;

/** Whether hardly any listing has it. */
export const isSeldom = (kind: string): boolean => (kindOf(kind) ?? asked[kind])?.isSeldom === true;
