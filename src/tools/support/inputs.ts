import { z } from 'zod';

/** A handle as sent. Its form is checked by the tool, so that a malformed one is invalid_handle and not invalid_input. */
export const handleInput = z.string().describe('<namespace>/<name>, exact case');

/** The cursor of a further page. */
export const cursorInput = z.string().max(400).optional().describe('next_cursor of the last answer');
