/** Transports that searches and criteria accept; listings may record others. */
export const transports = ['streamable-http', 'sse', 'stdio'] as const;
/** Kinds of package that searches and criteria accept; listings may record others. */
export const packageTypes = ['npm', 'pypi', 'oci', 'nuget', 'mcpb', 'cargo'] as const;

const recordedTags: ReadonlySet<string> = new Set(['remote', 'stdio', ...packageTypes]);

/** Whether a tag only repeats a recorded transport or package. */
export const isRecordedTag = (tag: string): boolean => recordedTags.has(tag);
