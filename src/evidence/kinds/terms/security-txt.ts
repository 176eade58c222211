import { toLine } from '../../text/sanitize.ts';

/** What a security.txt file states (RFC 9116); its texts are untrusted. */
export interface SecurityTxt {
  /** mailto, https and tel addresses, in the publisher's order, at most five. */
  readonly contacts: readonly string[];
  /** RFC 3339; absent where it is missing, or no time. */
  readonly expires?: string;
  readonly policy?: string;
}

const mostLines = 500;
const mostContacts = 5;
const contactForm = /^(?:mailto:|https:\/\/|tel:)[\x21-\x7e]{1,300}$/i;

/** The values of a field, in their order. Signed files have other lines around the fields, which name none. */
const valuesOf = (lines: readonly string[], field: string): string[] =>
  lines
    .filter((line) => line.toLowerCase().startsWith(`${field}:`))
    .map((line) => toLine(line.slice(field.length + 1)));

/** Reads a security.txt file; undefined for a text that names no contact, such as a page. */
export function readSecurityTxt(text: string): SecurityTxt | undefined {
  const lines = text.slice(0, 64 * 1024).split(/\r?\n/, mostLines);
  const contacts = valuesOf(lines, 'contact').filter((contact) => contactForm.test(contact));
  if (contacts.length === 0) return undefined;
  const expires_ms = Date.parse(valuesOf(lines, 'expires')[0] ?? '');
  const policy = valuesOf(lines, 'policy').find((link) => contactForm.test(link));
  return {
    contacts: contacts.slice(0, mostContacts),
    ...(!Number.isNaN(expires_ms) && { expires: new Date(expires_ms).toISOString() }),
    ...(policy && { policy }),
  };
}
