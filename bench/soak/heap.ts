import { once } from 'node:events';

const mb = 1024 * 1024;

/** Asks the inspector of a process one thing after the other. */
async function openInspector(port: number) {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
  await once(socket, 'open');
  let id = 0;
  return {
    async ask(method: string): Promise<Record<string, number>> {
      id += 1;
      socket.send(JSON.stringify({ id, method }));
      const [{ data }] = (await once(socket, 'message')) as [{ data: string }];
      return (JSON.parse(data) as { result: Record<string, number> }).result;
    },
    close: () => socket.close(),
  };
}

/**
 * Live JavaScript memory of a process that was started with `--inspect`, in MB, after a full collection of
 * garbage.
 */
export async function liveHeap_mb(port: number): Promise<number> {
  const { ask, close } = await openInspector(port);
  await ask('HeapProfiler.collectGarbage');
  const { usedSize = 0, backingStorageSize = 0 } = await ask('Runtime.getHeapUsage');
  close();
  return (usedSize + backingStorageSize) / mb;
}
