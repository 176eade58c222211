import { channel } from 'node:diagnostics_channel';

/** One kind of fact that this process says of its own work; it costs next to nothing where nobody listens. */
function defineFact<Fact extends object>(name: string) {
  const said = channel(`dossier:${name}`);
  return {
    isHeard: () => said.hasSubscribers,
    say(fact: Fact) {
      if (said.hasSubscribers) said.publish(fact);
    },
    /** Answers the undo. */
    listen(listener: (fact: Fact) => void): () => void {
      const heard = (fact: unknown) => listener(fact as Fact);
      said.subscribe(heard);
      return () => void said.unsubscribe(heard);
    },
  };
}

/** A call of a tool by any face: `ok`, or the code of its problem. */
export const toolCalls = defineFact<{ readonly tool: string; readonly outcome: string }>('tool-call');
/** A read of a memory: the facts of a listing, the counts of a search, a finished answer over MCP, a finished page. */
export const memoryReads = defineFact<{
  readonly memory: 'facts' | 'counts' | 'answers' | 'pages';
  readonly isHit: boolean;
}>('memory-read');
/** A transaction as its caller waited for it, good or not. */
export const writes = defineFact<{ readonly seconds: number }>('write');

/** Runs a write and says how long it took. */
export async function timeWrite<T>(write: () => Promise<T>): Promise<T> {
  if (!writes.isHeard()) return write();
  const start = performance.now();
  try {
    return await write();
  } finally {
    writes.say({ seconds: (performance.now() - start) / 1000 });
  }
}
