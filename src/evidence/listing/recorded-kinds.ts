/** Transports that a search or a criterion can ask for; listings may record others. */
export const transports = ['streamable-http', 'sse', 'stdio'] as const;
/** Kinds of package that a search or a criterion can ask for; listings may record others. */
export const packageTypes = ['npm', 'pypi', 'oci', 'nuget', 'mcpb', 'cargo'] as const;

const recordedTags: ReadonlySet<string> = new Set(['remote', 'stdio', ...packageTypes]);

/** Whether a tag repeats what transport and package say. */
export const isRecordedTag = (tag: string): boolean => recordedTags.has(tag);
