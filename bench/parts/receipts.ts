import { runScript } from '../command.ts';
import { drive, type Figures, type Load } from '../load.ts';
import type { Plan } from '../plan.ts';
import { prepareProven } from '../proven-ratings.ts';
import { median } from '../quantile.ts';
import { atLeast, type Part, type Row, whole } from '../report.ts';
import { interleave } from '../rounds.ts';
import { startService } from '../server.ts';

const names = {
  bare: 'bare Ed25519 check',
  receipt: 'receipt checked',
  none: 'submit_rating without a proof, 32 clients',
  proven: 'submit_rating with a service receipt, 32 clients',
};

async function checkSignatures(what: string, seconds: number): Promise<Figures> {
  const kind = what === names.bare ? 'bare' : 'receipt';
  const output = await runScript(['bench/references/receipts.ts', kind, String(seconds)]);
  const { rate } = JSON.parse(output) as { rate: number };
  return { rate, p50_ms: 1000 / rate, p99_ms: 0, cpu_us: 0 };
}

function toPart(measured: ReadonlyMap<string, readonly Figures[]>): Part {
  const rateOf = (name: string) => median((measured.get(name) ?? []).map(({ rate }) => rate));
  const toRow = (what: string, reference: string, goal: number): Row => ({
    what,
    figure: `${whole(rateOf(what))}/s`,
    share: (rateOf(what) / rateOf(reference)).toFixed(2),
    ...atLeast(rateOf(what) / rateOf(reference), goal),
  });
  return {
    title: 'Receipts: share of the line above, by rate',
    rows: [
      { what: names.bare, figure: `${whole(rateOf(names.bare))}/s` },
      toRow(names.receipt, names.bare, 0.4),
      { what: names.none, figure: `${whole(rateOf(names.none))}/s` },
      toRow(names.proven, names.none, 0.5),
    ],
  };
}

/** Receipts checked beside bare signatures, and ratings with a receipt beside the same ones without. */
export async function measureReceipts({ folder, rounds, seconds }: Plan): Promise<Part> {
  const { url, plain, proven } = await prepareProven(folder);
  const server = await startService(url);
  try {
    const loads: readonly Load[] = [
      { name: names.none, server, requests: plain },
      { name: names.proven, server, requests: proven },
    ];
    return toPart(
      await interleave(Object.values(names), rounds, (name) => {
        const load = loads.find((one) => one.name === name);
        return load ? drive(load, seconds) : checkSignatures(name, seconds);
      }),
    );
  } finally {
    await server.stop();
  }
}
