import { callTool, type Directory } from './directory.ts';

/**
 * Makes a check a day after the last one: what it changed of a fact, by the title of its kind, as get_history
 * says it, without dates and the place in the log: `version 1.0.0 until then version 1.1.0`. `subject` is a
 * part of what the fact is about.
 */
export async function changesOfNextCheck(
  directory: Directory,
  handle: string,
  title: string,
  subject = '',
): Promise<string[]> {
  directory.wait(86_400);
  await directory.observe(handle);
  const today = directory.context.clock().toISOString().slice(0, 10);
  const { changes } = await callTool<{ changes: string[] }>(directory, 'get_history', {
    handle,
    since: today,
  });
  return changes.flatMap((line) => {
    const said = line.replace(/ \(log index \d+\)$/, '').replace(/until \d{4}-\d\d-\d\d,/, 'until');
    const [, about, at = '', what] = /^\d{4}-\d\d-\d\d (.*?) \(([^)]*)\): (.*)$/.exec(said) ?? [];
    return about === title && at.includes(subject) && what !== undefined ? [what] : [];
  });
}
