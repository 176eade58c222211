import { code, isEmpty, listed, say, type Words } from '../../core/words.ts';
import { firstOfEach, ownersOf } from '../../listings/naming.ts';
import type { ListingDocument } from '../listing-document.ts';
import { mostPlaces } from '../recorded-facts.ts';
import { inputsWords, typeWords } from '../sentences.ts';
import { unique } from '../words.ts';
import { hostOf } from './whose.ts';

interface AskingPlace {
  readonly noun: 'endpoint' | 'package';
  readonly subject: string;
  /** Of a package that is recorded with several transports. */
  readonly over?: string | undefined;
  /** The position in the list of endpoints or of packages. */
  readonly at: number;
  readonly asked: Words;
  /** Whether a secret is sent there. */
  readonly isSent: boolean;
}

/** The shown endpoint comes first. `asked` is empty for a place that asks for no inputs. */
export function placesOf({ remotes, packages, endpoint }: ListingDocument): AskingPlace[] {
  const all = [
    ...remotes.map(({ url, inputs }, at) => ({ noun: 'endpoint' as const, subject: url, at, inputs })),
    ...packages.map(({ identifier, transport, inputs }, at) => {
      const isTwice = packages.filter((one) => one.identifier === identifier).length > 1;
      return {
        noun: 'package' as const,
        subject: identifier,
        over: isTwice ? transport : undefined,
        at,
        inputs,
      };
    }),
  ];
  const isFirst = ({ subject }: { readonly subject: string }) => Number(subject === endpoint);
  const ordered = all.toSorted((a, b) => isFirst(b) - isFirst(a));
  return ordered.map(({ inputs = [], ...place }) => {
    const isSent = place.noun === 'endpoint' && inputs.some(({ secret }) => secret);
    return { ...place, asked: inputsWords(inputs), isSent };
  });
}

export const overWords = (over: string | undefined): Words =>
  over === undefined ? say`` : say` over ${typeWords(over)}`;

/** Those that ask for no inputs, however they are recorded. */
export const silentOf = (places: readonly AskingPlace[]): AskingPlace[] =>
  places.filter(({ subject, over }) =>
    places.every((one) => one.subject !== subject || one.over !== over || isEmpty(one.asked)),
  );

/**
 * The hosts that secrets are sent to. Returns no words if no host is known, or if the endpoints of several
 * hosts ask for different inputs.
 */
export function sentTo(listing: ListingDocument, places: readonly AskingPlace[]): Words {
  const owned = ownersOf(listing).remotes;
  const secret = places.filter(({ isSent }) => isSent);
  const ordered = firstOfEach(secret, ({ at }) => owned[at]?.owner ?? '');
  const hosts = new Set(ordered.flatMap(({ subject }) => hostOf(subject) ?? []));
  const isOfAll = unique(secret.map(({ asked }) => asked)).length === 1;
  if (hosts.size === 0 || (hosts.size > 1 && !isOfAll)) return say``;
  return say` for ${listed(
    [...hosts].map((host) => code(host)),
    mostPlaces,
  )}`;
}
