/** Names have letters and a dot; addresses have only digits, or colons. */
const isName = (host: string) => /[a-z]/i.test(host) && host.includes('.') && !host.includes(':');

/** The labels of PUBLIC_URL's host in reverse, as names of servers begin; `localhost` for an address and for localhost. */
export function reversedHost(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  return isName(hostname) ? hostname.split('.').reverse().join('.') : 'localhost';
}
