/** Descriptions that say nothing about the service: a template's text, or that there is no service. */
const placeholders: readonly RegExp[] = [
  /\[((describe|insert|add|your)\s[^\]|]*|(description|todo)\b[^\]|]*)\]/i,
  /^(a |an |the )?description of (my|your|the|this) (mcp )?server\b/i,
  /^(a |an )?non[- ]?functional (mcp )?server\b/i,
  /^(still |currently )?(wip|work in progress|tbd|todo|test|testing|placeholder|coming soon)( server| mcp server)?[\s.!]*$/i,
  /^(a |an |my )?(sample|test|dummy|demo|template|example|hello world)( mcp)? server( example)?[\s.!]*$/i,
  /\(placeholder\)/i,
  /^template mcp server\b/i,
  /^(a |an |my |your )?(mcp )?server[\s.!]*$/i,
  /^((a|an|my|your|the|some|super|short|mcp|server|project|test) ){0,2}description[\s.!]*$/i,
];

/** Whether a description is a placeholder; such listings come last in a search, and are marked. */
export const isPlaceholder = (description: string): boolean =>
  placeholders.some((pattern) => pattern.test(description.trim()));
