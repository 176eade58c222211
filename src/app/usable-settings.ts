import type { Config } from '../config/config.ts';
import { settingsError } from '../core/process.ts';
import { PolicyFault, readWitnesses } from '../log/witnesses.ts';
import { findCriterionFaults } from '../selections/approvals.ts';

/** Throws ExitError (78) for well-formed settings that cannot be used. */
export async function requireUsableSettings(config: Config): Promise<void> {
  await requireKnownLimits(config);
  requireUsableFiles(config);
}

/** If it were ignored, the limit would look set. */
async function requireKnownLimits({ limitOverrides }: Config): Promise<void> {
  if (Object.keys(limitOverrides).length === 0) return;
  const { allLimits } = await import('../http/limits.ts');
  const known = allLimits.map(({ name }) => name);
  const unknown = Object.keys(limitOverrides).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw settingsError(
      `LIMIT_OVERRIDES: no limit is called ${unknown.join(', ')}; there are ${known.join(', ')}`,
    );
}

export function findViewFaults({ views, privateViews, privateListings }: Config): string[] {
  const faults = findCriterionFaults([...views, ...privateViews]);
  for (const { file, name, approvals } of privateListings ? [] : privateViews)
    if (!approvals)
      faults.push(`${file}: ${name}: it lists private entries, but PRIVATE_LISTINGS is not set`);
  return faults;
}

function requireUsableFiles(config: Config): void {
  const { witnesses } = config;
  const faults = findViewFaults(config);
  const wrong = faults.length > 0 ? [`VIEWS: ${faults.join('; ')}`] : [];
  try {
    readWitnesses(witnesses);
  } catch (error) {
    if (!(error instanceof PolicyFault)) throw error;
    wrong.push(`WITNESSES: ${witnesses?.file}: ${error.message}`);
  }
  if (wrong.length > 0) throw settingsError(wrong.join('\n'));
}
