import { own, type Words } from '../../core/words.ts';
import { copyLacksWords, type ListingFacts } from '../../document/record.ts';

export function whyNone({ listing, observed, reading }: ListingFacts): Words | undefined {
  if (listing.remotes.length > 0)
    return observed ? undefined : own('Dossier has made no observation of this listing.');
  return copyLacksWords(reading.copyLacks, 'endpoint') ?? own('The listing records no endpoint.');
}
