import { z } from 'zod';

/** The registry's pattern for names (server.schema.json, `name`), 3 to 200 characters. */
const handlePattern = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;

/** A listing identifier `<namespace>/<name>`, compared exactly, capitals included. */
export const handleSchema = z.string().min(3).max(200).regex(handlePattern);

/** Whether a text has the form of a handle; a listing with it may not exist. */
export const isHandle = (text: string): boolean => handleSchema.safeParse(text).success;

/** The two parts of a well-formed handle. */
export function handleParts(handle: string): { namespace: string; name: string } {
  const slash = handle.indexOf('/');
  return { namespace: handle.slice(0, slash), name: handle.slice(slash + 1) };
}
