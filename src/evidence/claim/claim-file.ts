import { parseReceiptKeys, type ReceiptKeyLine } from '../../receipt/key-line.ts';
import { handleSchema } from '../handle.ts';
import { findCapabilities } from './capability.ts';

/** The parts of a claim file that matter; the rest may be any text. */
export interface ClaimFile {
  /** Challenges in the file, each once, in order. */
  readonly challenges: readonly string[];
  /** Capabilities that were committed by mistake, each once. */
  readonly secrets: readonly string[];
  /** Handles on lines `optout <handle>`. */
  readonly optouts: readonly string[];
  /** Whether a line `observe: no` asks the observer to leave alone what is claimed by this file. */
  readonly isObservationRefused: boolean;
  /** Keys for receipts, at most five. */
  readonly receiptKeys: readonly ReceiptKeyLine[];
}

/** Largest claim file that is read, as UTF-8. */
export const claimFileLimit_bytes = 16_384;
const challengeLimit = 64;

// A fixed length between look-arounds: matching is linear, and text attached to either end prevents a match.
const challengePattern = /(?<![\w.-])dossier-claim-v1\.[A-Za-z0-9_-]{72}(?![\w-])/g;
const optoutPattern = /^optout[ \t]+(\S{3,200})$/;

const observeNoPattern = /^[ \t]*observe:[ \t]*no[ \t]*$/m;

const distinctMatches = (text: string, pattern: RegExp) => [...new Set(text.match(pattern))];

/** Parses a claim file with any line ends, with or without a BOM. 'too_large' beyond 16 KiB, 64 challenges or 64 capabilities. */
export function parseClaimFile(text: string): ClaimFile | 'too_large' {
  if (Buffer.byteLength(text) > claimFileLimit_bytes) return 'too_large';
  const challenges = distinctMatches(text, challengePattern);
  const secrets = findCapabilities(text);
  if (challenges.length > challengeLimit || secrets.length > challengeLimit) return 'too_large';
  const optouts = text
    .split(/[\r\n]+/)
    .map((line) => optoutPattern.exec(line.trim())?.[1])
    .filter((handle) => handleSchema.safeParse(handle).success);
  return {
    challenges,
    secrets,
    optouts: optouts.filter((handle) => handle !== undefined),
    isObservationRefused: observeNoPattern.test(text),
    receiptKeys: parseReceiptKeys(text),
  };
}
