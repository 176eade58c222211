import type { OptOut } from '../../evidence/listing/state/opt-out.ts';
import type { Store } from '../../store/store.ts';
import { type Check, fine, warning } from './check.ts';

const page = 100;
const mostNamed = 5;

async function readContested({ listings }: Store): Promise<OptOut[]> {
  const found: OptOut[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: OptOut[] = await listings.optOuts(after, page);
    found.push(...rows.filter(({ state }) => state === 'contested'));
    after = rows.length === page ? rows.at(-1)?.handle : undefined;
  }
  return found;
}

/** Opt-out lines that count for nothing: who wrote them does not hold the claim of the listing. */
export const claims: Check = {
  name: 'claims',
  async look({ store }) {
    const contested = store ? await readContested(store) : [];
    if (contested.length === 0) return [fine('no opt-out line of somebody who does not hold the claim')];
    const named = contested
      .slice(0, mostNamed)
      .map(({ handle, place, seen_at }) => `${handle} (at ${place} since ${seen_at.slice(0, 10)})`);
    const more = contested.length > mostNamed ? `, and ${contested.length - mostNamed} more` : '';
    return [
      warning(
        `an opt-out line of somebody who does not hold the claim: ${named.join(', ')}${more}`,
        'nothing follows from it; if it is right, withdraw the listing with dossier moderate withdraw',
      ),
    ];
  },
};
