const patience_ms = 10_000;

/** What an address answered. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  /** By how much the other clock is ahead, in ms, as its Date header says; undefined without one. */
  readonly ahead_ms?: number;
}

/** Sends a GET without following redirects; a text says why there is no answer. */
export async function ask(url: string): Promise<Answered | string> {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(patience_ms) });
    const date_ms = Date.parse(answer.headers.get('date') ?? '');
    const text = (await answer.text()).slice(0, 100_000);
    return { status: answer.status, text, ...(!Number.isNaN(date_ms) && { ahead_ms: date_ms - Date.now() }) };
  } catch (error) {
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}
