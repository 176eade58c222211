/** JSON stored as text, the same on both engines. */
export type Json = string;
/** RFC 3339 UTC with milliseconds, so that text order is time order. */
export type Time = string;
