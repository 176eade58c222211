import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { type PinName, pinNames, viewsForm } from '../config/files.ts';
import { attempt, parseForeignJson } from '../core/json.ts';
import { ioError, usageError } from '../core/process.ts';
import { day_ms, dayText, toLine } from '../core/text.ts';
import { toText } from '../core/words.ts';
import { saidAs } from '../observations/known/malware.ts';
import { isSeenPin, type Pinnable, pinnedNow } from '../selections/approvals.ts';
import { readPrivateEntries } from '../selections/entries.ts';
import { openLockSource } from './lock-source.ts';
import { replaceFile } from './replace-file.ts';

export interface ApproveOptions {
  readonly from?: string | undefined;
  readonly views?: string | undefined;
  readonly privateListings?: string | undefined;
  readonly view: string;
  readonly by?: string | undefined;
  readonly reason: string;
  readonly until?: string;
  readonly pin?: string;
}

type Views = Record<string, Record<string, unknown>>;

/** Without added defaults. */
function readViews(file: string | undefined): Views {
  if (!file) throw usageError('name the file of views with --views or VIEWS');
  const text = attempt(() => readFileSync(file, 'utf8'));
  if (text === undefined)
    throw ioError(`${file}: cannot be read; name the file of views with --views or VIEWS`);
  const read = parseForeignJson(text);
  if (read === undefined)
    throw usageError(`${file}: cannot be read as JSON, in which comments are not allowed`);
  const [issue] = viewsForm.safeParse(read).error?.issues ?? [];
  if (issue) throw usageError(`${file}: ${issue.path.join('.')}: ${issue.message}`);
  return read as Views;
}

/** ASCII, so that texts of others cannot control a terminal. */
const toAsciiJson = (value: object) =>
  `${JSON.stringify(value, null, 2).replace(/[^\n\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;

function toUntil(text: string, now: Date): string {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  const date = days ? dayText(new Date(now.getTime() + Number(days) * day_ms)) : text;
  if (Number.isNaN(Date.parse(date)) || !/^\d{4}-\d\d-\d\d$/.test(date))
    throw usageError(`--until ${text}: a date such as 2027-01-31, or days such as 90d`);
  if (date < dayText(now)) throw usageError(`--until ${text}: that day is over`);
  return date;
}

function toPins(text: string): PinName[] {
  const names = text.split(',').filter(Boolean);
  const unknown = names.find((name) => !pinNames.some((pin) => pin === name));
  if (unknown) throw usageError(`--pin ${unknown}: one or more of ${pinNames.join(',')}`);
  return names as PinName[];
}

function requireView(views: Views, { view: name, views: file }: ApproveOptions) {
  const view = Object.hasOwn(views, name) ? views[name] : undefined;
  if (!view)
    throw usageError(
      `${file}: it has no view ${name}; it has ${Object.keys(views).join(', ') || 'no view at all'}`,
    );
  if (!view.approvals)
    throw usageError(
      `${file}: the view ${name} has no list of approvals; add "approvals": [] to it, so that it lists only approved listings`,
    );
  return view as { readonly approvals: readonly { readonly handle: string }[] };
}

/** The private entry, or else the listing. */
async function readPinnable(
  handle: string,
  { from, privateListings = '' }: ApproveOptions,
  config: () => Promise<Config>,
): Promise<Pinnable & { readonly private?: true }> {
  const { entries, faults } = await readPrivateEntries(privateListings);
  if (!entries) throw ioError(`${faults.join('; ')}; nothing was written`);
  const entry = entries.get(handle);
  if (entry) return { ...entry.listing, observations: [], private: true };
  await using source = await openLockSource(from, config);
  const document = await source.read(handle);
  if (typeof document === 'string')
    throw usageError(`${handle}: ${document} at ${source.name}; nothing was written`);
  if (document.handle !== handle)
    throw usageError(
      `${handle}: this handle is spelled ${document.handle} at ${source.name}; nothing was written`,
    );
  return document;
}

function toPinned(document: Pinnable, handle: string, names: readonly PinName[]) {
  const pins = names.map((pin) => [pin, pinnedNow(document, pin)] as const);
  const unknown = pins.flatMap(([pin, now]) => (now.length === 0 && isSeenPin(pin) ? [pin] : []));
  if (unknown.length > 0)
    throw usageError(
      `${handle}: ${unknown.join(', ')} cannot be pinned, because Dossier knows no current value; nothing was written`,
    );
  return Object.fromEntries(pins);
}

export async function runApprove(config: () => Promise<Config>, handle: string, options: ApproveOptions) {
  const { views: file = '', view: name, by, reason, until } = options;
  requireView(readViews(options.views), options);
  if (!by) throw usageError('use --by to name who approves');
  const now = new Date();
  const last = until === undefined ? undefined : toUntil(until, now);
  const names = toPins(options.pin ?? 'version,endpoint,package');
  const document = await readPinnable(handle, options, config);
  const entry = {
    handle,
    ...(document.private && { private: true }),
    by,
    reason,
    on: dayText(now),
    ...(last !== undefined && { until: last }),
    // Allow lists contain only endpoints and packages that a pin names.
    pins: toPinned(document, handle, [...new Set([...names, 'endpoint', 'package'] as const)]),
  };
  // Another approval may have been written meanwhile.
  const views = readViews(options.views);
  const view = requireView(views, options);
  const approvals = [...view.approvals.filter((one) => one.handle !== handle), entry];
  const written = { ...views, [name]: { ...view, approvals } };
  const [fault] = viewsForm.safeParse(written).error?.issues ?? [];
  if (fault)
    throw usageError(
      `${[fault.path.slice(3).join('.') || name, fault.message].join(': ')}; nothing was written`,
    );
  replaceFile(file, toAsciiJson(written));
  process.stdout.write(toAsciiJson(entry));
  for (const report of saidAs(document.observations, ['malware']))
    process.stderr.write(
      `${handle}: ${toLine(toText(report))}; while this is reported, the approval has lapsed\n`,
    );
  process.stderr.write(
    `${file}: ${handle} is approved in ${name}; a service reads the file at its next start\n`,
  );
}
