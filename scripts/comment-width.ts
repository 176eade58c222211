/** Fails if a comment is wider than the code may be, since Biome's formatter leaves comments as they are. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { formatter } = JSON.parse(readFileSync('biome.json', 'utf8')) as { formatter: { lineWidth: number } };

const beginsBlock = /^\s*\/\*/;
const isOrEndsInComment = /^\s*\/\/|[;,{([]\s*\/\/\s/;
const endsInAddress = /https?:\/\/\S+$/;

/** Numbers of the lines whose comment is too wide. An address that cannot be broken may be. */
function findWide(text: string): { line: number; columns: number }[] {
  let isInBlock = false;
  return text.split('\n').flatMap((content, at) => {
    isInBlock ||= beginsBlock.test(content);
    const isComment = isInBlock || isOrEndsInComment.test(content);
    if (content.includes('*/')) isInBlock = false;
    const isWide = content.length > formatter.lineWidth && !endsInAddress.test(content);
    return isComment && isWide ? [{ line: at + 1, columns: content.length }] : [];
  });
}

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.js', '*.css'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !file.includes('/htmx'));
for (const file of files) {
  for (const { line, columns } of findWide(readFileSync(file, 'utf8'))) {
    console.error(`${file}:${line}: the comment has ${columns} columns; ${formatter.lineWidth} are allowed`);
    process.exitCode = 1;
  }
}
