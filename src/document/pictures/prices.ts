import { code, count, fromDayToDay, join, own, say, source, toText, type Words } from '../../core/words.ts';
import { subjectWords } from '../../observations/known/kinds/packages/packages.ts';
import { rulesOf } from '../../observations/known/kinds.ts';
import {
  addressesOf,
  isWhole,
  type Offer,
  offersSummary,
  unitOf,
} from '../../observations/known/prices/offer.ts';
import { priceOffers } from '../../observations/known/prices/offers.ts';
import { offerWords, payeesWords } from '../../observations/known/prices/words.ts';
import { states, type Timeline } from '../../observations/known/timeline/timeline.ts';

/** Checks from `from` to `to` (RFC 3339) saw this price and these payees. */
export interface PriceStep {
  readonly from: string;
  readonly to: string;
  /** In the smallest unit of the asset, or dollars. */
  readonly amount: number;
  readonly price: Words;
  readonly payees: readonly string[];
}

/** One unit, such as USDC on Base, of one tool at one place. Oldest first. */
export interface PriceSeries {
  readonly place: string;
  /** Undefined for the endpoint itself. */
  readonly tool: string | undefined;
  readonly steps: readonly PriceStep[];
}

const changesPayees = (step: PriceStep, before: PriceStep | undefined): boolean =>
  before?.payees.join() !== step.payees.join();

const isNumber = ({ amount }: Offer) => isWhole(amount) || Number(amount) > 0;

/** A price that nothing was seen of in between begins anew. */
function addStep(steps: readonly PriceStep[], step: PriceStep, goesOn: boolean): PriceStep[] {
  const last = steps.at(-1);
  const isSame = last && toText(last.price) === toText(step.price) && !changesPayees(step, last);
  return goesOn && isSame ? [...steps.slice(0, -1), { ...last, to: step.to }] : [...steps, step];
}

function seriesOf({ subject: place = '', ...timeline }: Timeline): PriceSeries[] {
  const series = new Map<string, PriceSeries & { readonly at: number }>();
  for (const [at, { from, to, value, away }] of states(timeline.spans, rulesOf(timeline)).entries()) {
    const offers = offersSummary.safeParse(value).data?.offers.filter(isNumber) ?? [];
    // Several offers in one unit are not one price.
    for (const [unit, [offer, other]] of Map.groupBy(offers, unitOf)) {
      if (!offer || other) continue;
      const before = series.get(unit);
      const step = {
        from,
        to,
        amount: Number(offer.amount),
        price: offerWords(offer),
        payees: addressesOf([offer]),
      };
      const steps = addStep(before?.steps ?? [], step, before?.at === at - 1 && !away);
      series.set(unit, { place, tool: offer.for, steps, at });
    }
  }
  return [...series.values()];
}

const mostSeries = 3;

/** Only those that changed, the most often changed first. */
export const toPriceSeries = (timelines: readonly Timeline[]): PriceSeries[] =>
  timelines
    .filter(({ kind }) => kind === priceOffers.kind)
    .flatMap(seriesOf)
    .filter(({ steps }) => steps.length > 1)
    .toSorted((a, b) => b.steps.length - a.steps.length)
    .slice(0, mostSeries);

/** Not if a check could not read who is paid. */
export const changesPayee = (step: PriceStep, before: PriceStep | undefined): boolean =>
  before !== undefined && before.payees.length > 0 && step.payees.length > 0 && changesPayees(step, before);

const mostSteps = 4;

export function seriesWords({ place, tool, steps }: PriceSeries): Words {
  const told = steps.slice(-mostSteps);
  const said = told.map((step, at) => {
    const paid =
      step.payees.length > 0 ? say`paid to ${payeesWords(step.payees)}` : own('no fixed payee seen');
    return say`${step.price} ${fromDayToDay(step.from, step.to)}${changesPayees(step, told[at - 1]) && say`, ${paid}`}`;
  });
  const earlier =
    steps.length > told.length && say`, after ${count(steps.length - told.length, 'earlier price')}`;
  return say`Price${tool !== undefined && say` of ${code(tool)}`} at ${subjectWords(place)}${earlier}: ${join(said, '; then ')}${source('Dossier')}.`;
}
