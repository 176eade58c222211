import { SingleBar } from 'cli-progress';

/** A bar on standard error on a terminal, a plain line every 2 s elsewhere; `form` names what `payload` holds. */
export function startBar(form: string, total: number, payload: object = {}): SingleBar {
  const bar = new SingleBar({
    format: form,
    hideCursor: true,
    noTTYOutput: true,
    notTTYSchedule: 2000,
    stream: process.stderr,
  });
  bar.start(total, 0, payload);
  return bar;
}
