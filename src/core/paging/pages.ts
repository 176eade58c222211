/** A page with fewer than `size` items is the last. */
export async function* readPages<T>(size: number, read: (last: T | undefined) => Promise<readonly T[]>) {
  for (let last: T | undefined; ; ) {
    const page = await read(last);
    if (page.length > 0) yield page;
    if (page.length < size) return;
    last = page.at(-1);
  }
}

export async function readAll<T>(size: number, read: (last: T | undefined) => Promise<readonly T[]>) {
  const all: T[] = [];
  for await (const page of readPages(size, read)) all.push(...page);
  return all;
}
