/** The members of a record or leaf; undefined unless the text is a JSON object. */
export function readMembers(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const members: unknown = JSON.parse(text);
    return typeof members === 'object' && members !== null ? { ...members } : undefined;
  } catch {
    return undefined;
  }
}
