import { connect } from 'node:net';

/**
 * Opens connections that send a header a second and never end it, each again when it is closed, until the
 * process ends.
 */
export function openSlow(url: string, count: number): void {
  const { hostname, port } = new URL(url);
  const open = () => {
    const socket = connect(Number(port), hostname, () =>
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n'),
    );
    const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 1000);
    socket.on('error', () => undefined).on('data', () => undefined);
    socket.once('close', () => {
      clearInterval(drip);
      setTimeout(open, 100);
    });
  };
  for (let opened = 0; opened < count; opened++) open();
}
