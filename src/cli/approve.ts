import { readFileSync, writeFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { type PinName, pinNames, viewsForm } from '../config/files.ts';
import { isJsonObject, parseForeignJson } from '../core/json.ts';
import { usageError } from '../core/process.ts';
import { pinnedNow } from '../document/approvals.ts';
import { openLockSource } from './lock.ts';

export interface ApproveOptions {
  readonly from?: string | undefined;
  readonly views?: string | undefined;
  readonly view: string;
  readonly by?: string | undefined;
  readonly reason: string;
  readonly until?: string;
  readonly pin?: string;
}

function readViews(file: string): Record<string, Record<string, unknown>> {
  const text = (() => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      throw usageError(`${file}: cannot be read; name the file of views with --views or VIEWS`);
    }
  })();
  const read = parseForeignJson(text);
  const form = viewsForm.safeParse(read);
  if (form.success) return read as Record<string, Record<string, unknown>>;
  const [issue] = form.error.issues;
  throw usageError(`${file}: ${issue ? `${issue.path.join('.')}: ${issue.message}` : 'not a file of views'}`);
}

const day_ms = 86_400_000;

/** The last day of an approval: a date, or so many days from now, as `90d`. */
function toUntil(text: string, now: Date): string {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  const date = days ? new Date(now.getTime() + Number(days) * day_ms).toISOString().slice(0, 10) : text;
  if (Number.isNaN(Date.parse(date)) || !/^\d{4}-\d\d-\d\d$/.test(date))
    throw usageError(`--until ${text}: a date such as 2027-01-31, or days such as 90d`);
  return date;
}

function toPins(text: string): PinName[] {
  const names = text.split(',').filter(Boolean);
  const unknown = names.find((name) => !pinNames.some((pin) => pin === name));
  if (unknown) throw usageError(`--pin ${unknown}: one or more of ${pinNames.join(',')}`);
  return names as PinName[];
}

/**
 * Writes an approval of a listing into the file of views, with its pins as they are known now, in place of an earlier one of the
 * same listing. Throws ExitError.
 */
export async function runApprove(config: () => Config, handle: string, options: ApproveOptions) {
  const { views: file = '', view: name, by, reason, until } = options;
  const views = readViews(file);
  const view = Object.hasOwn(views, name) ? views[name] : undefined;
  if (!isJsonObject(view))
    throw usageError(`${file}: it has no view ${name}; it has ${Object.keys(views).join(', ')}`);
  if (!by) throw usageError('name who approves with --by');
  const now = new Date();
  const last = until === undefined ? undefined : toUntil(until, now);
  const names = toPins(options.pin ?? 'version,endpoint,package');
  await using source = await openLockSource(options.from, config);
  const document = await source.read(handle);
  if (typeof document === 'string')
    throw usageError(`${handle}: ${document} at ${source.name}; nothing was written`);
  const pins = names.map((pin) => [pin, pinnedNow(document, pin)] as const);
  const unknown = pins.filter(([pin, now]) => now.length === 0 && !['endpoint', 'package'].includes(pin));
  if (unknown.length > 0)
    throw usageError(
      `${handle}: ${unknown.map(([pin]) => pin).join(', ')} cannot be pinned, because nothing is known of it now; nothing was written`,
    );
  const entry = {
    ...{ handle, by, reason, on: now.toISOString().slice(0, 10) },
    ...(last !== undefined && { until: last }),
    pins: Object.fromEntries(pins),
  };
  const before = (view.approvals ?? []) as { readonly handle: string }[];
  const approvals = [...before.filter((one) => one.handle !== handle), entry];
  const written = { ...views, [name]: { ...view, approvals } };
  const fault = viewsForm.safeParse(written).error?.issues[0];
  if (fault) throw usageError(`${fault.path.slice(3).join('.')}: ${fault.message}; nothing was written`);
  writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(entry, null, 2)}\n`);
  process.stderr.write(`${file}: ${handle} is approved in ${name}; a service takes it at its next start\n`);
}
