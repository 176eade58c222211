import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type SavedView, toViews, viewsForm } from '../evidence/comparison/saved-view.ts';

const firstLine = (error: z.ZodError) =>
  error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');

/** A file of views, read at the start; empty for none. */
export const viewsFile = z.string().transform((file, issues): readonly SavedView[] => {
  if (file === '') return [];
  try {
    const parsed = viewsForm.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    if (parsed.success) return toViews(parsed.data);
    issues.addIssue({ code: 'custom', message: `${file}: ${firstLine(parsed.error)}` });
  } catch (error) {
    const why = error instanceof SyntaxError ? 'not JSON' : 'cannot be read';
    issues.addIssue({ code: 'custom', message: `${file}: ${why}` });
  }
  return z.NEVER;
});
