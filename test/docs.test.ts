import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderReadme } from '../scripts/docs.ts';

const readme = readFileSync('README.md', 'utf8');

describe('README', () => {
  it('holds the tables that follow from the definitions (npm run docs brings them up to date)', () => {
    expect(readme).toBe(renderReadme(readme));
  });
  it('names every setting that the source reads from the environment, and no other home reads it', () => {
    expect(readme).toContain('| `REPOSITORY_HOSTS` | github.com, gitlab.com |');
    expect(readme).toContain('| `PORT` | `3000` |');
  });
  it('has configs that are valid JSON and name an endpoint or a command', () => {
    const blocks = [...readme.matchAll(/```json\n([\s\S]*?)```/g)].map(
      ([, text]) => JSON.parse(text ?? '') as object,
    );
    expect(blocks).toHaveLength(4);
    expect(blocks[0]).toEqual({
      mcpServers: { dossier: { type: 'http', url: 'http://127.0.0.1:3000/api/mcp' } },
    });
  });
});
