const toSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Words that are left out of descriptions, and of queries that have any other word. */
export const stopWords: ReadonlySet<string> = toSet(
  `a an and are as at be been both by can could did do does each for from had has have how i if in into is it its me
  my no not of on or other our should so some such than that the their them then there these they this those to too
  via was we were what when where which while who whom why will with would you your`,
);

/** Words that begin a question, and others that say almost nothing about what is searched for. */
export const questionWords: ReadonlySet<string> = toSet(
  `find show give get need want wants looking look something anything someone anyone thing things way best good
  please go goes going help helps let lets allow allows able make makes using use uses used like just any all about between tool
  tools`,
);

/** What is to be done: of a question, the nouns say more. */
export const verbs: ReadonlySet<string> = toSet(
  `build builds check checks compare compares convert converts create creates draw draws edit edits generate generates
  keep keeps look lookup manage manages read reads run runs search searches take takes track tracks turn turns up
  write writes`,
);

/** Words that so many listings have that others of a query say more. */
export const lightWords: ReadonlySet<string> = toSet(
  `agent agents ai api apis app apps assistant assistants llm mcp model server servers service services sdk claude
  data access cheap free easy simple online new real time country countries other`,
);
