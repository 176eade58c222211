/** One way in which a word of a query may stand in a listing: all these terms, and what that counts beside the word itself. */
export interface Alternative {
  readonly terms: readonly string[];
  readonly factor: number;
}
