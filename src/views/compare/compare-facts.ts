import { html } from 'hono/html';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { isRecordedTag } from '../../evidence/listing/record/recorded-kinds.ts';
import { inputsText } from '../../evidence/listing/sentences/inputs-text.ts';
import { foreignLink, type Html } from '../layout/html.ts';

/** A fact of each listing under one name; undefined where none is recorded. */
export interface FactRow {
  readonly name: string;
  value(listing: ListingDocument): Html | string | undefined;
}

const joined = (texts: readonly (string | undefined)[]) =>
  [...new Set(texts.filter((text) => text !== undefined))].join('; ') || undefined;

const transportsOf = ({ remotes, packages }: ListingDocument) =>
  [
    ...new Set([...remotes.map(({ type }) => type), ...packages.flatMap(({ transport }) => transport ?? [])]),
  ].join(', ');

const packageText = ({ registry_type, identifier, version }: ListingDocument['packages'][number]) =>
  `${registry_type} ${identifier}${version ? `@${version}` : ''}`;

/** What is recorded of a listing that a buyer compares first, in this order. */
export const factRows: readonly FactRow[] = [
  { name: 'How it is reached', value: (listing) => transportsOf(listing) || undefined },
  { name: 'Endpoint', value: ({ endpoint }) => endpoint && foreignLink(endpoint) },
  {
    name: 'What it asks for',
    value: ({ remotes, packages }) =>
      joined([...remotes, ...packages].map(({ inputs }) => inputsText(inputs))),
  },
  { name: 'Packages', value: ({ packages }) => joined(packages.map(packageText)) },
  { name: 'Repository', value: ({ repository }) => repository && foreignLink(repository) },
  { name: 'Version', value: ({ version, updated_at }) => `${version}, updated ${updated_at.slice(0, 10)}` },
  {
    name: 'Tags',
    value: ({ tags }) =>
      joined([
        tags
          .map(({ tag }) => tag)
          .filter((tag) => !isRecordedTag(tag))
          .join(', ') || undefined,
      ]),
  },
];

export const noneRecorded = html`<span class="state unknown">none recorded</span>`;
