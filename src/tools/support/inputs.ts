import { z } from 'zod';

/** A handle as callers send it: its form is checked by the tool, so that a wrong one is invalid_handle. */
export const handleInput = z.string().describe('<namespace>/<name> exactly as listed; capitals count');

/** A cursor from the answer before. */
export const cursorInput = z.string().max(400).optional().describe('next_cursor of the answer before');
