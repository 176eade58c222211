const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const letters = (at: number) => at.toString(36).padStart(2, '0');
const secrets = (count: number, of: string) =>
  upTo(count).map((at) => ({ name: `S-${of}${at}`, isSecret: true, isRequired: true }));
const npm = (identifier: string, more: object = {}) => ({
  registryType: 'npm',
  identifier,
  version: '1.0.0',
  transport: { type: 'stdio' },
  ...more,
});
const remote = (at: number, more: object = {}) => ({
  type: 'streamable-http',
  url: `https://m.${letters(at)}a.io/mcp`,
  ...more,
});

/** Each makes the record of a server with `size` parts of one kind; 100 of them fill an entry of 64 KiB. */
export const heavyShapes: Readonly<Record<string, (size: number) => object>> = {
  remotes: (size) => ({ remotes: upTo(size).map((at) => remote(at, { headers: secrets(10, letters(at)) })) }),
  'remotes that ask alike': (size) => ({
    remotes: upTo(3 * size).map((at) => remote(at, { headers: secrets(2, '') })),
  }),
  secrets: (size) => ({
    remotes: upTo(size / 10).map((at) => remote(at, { headers: secrets(100, letters(at)) })),
  }),
  'words of inputs': (size) => ({
    remotes: [
      remote(0, {
        headers: secrets(size, '').map((one) => ({ ...one, description: 'a `b` \\* <c> '.repeat(23) })),
      }),
    ],
  }),
  arguments: (size) => ({
    packages: upTo(size).map((at) =>
      npm(`p${at}`, {
        packageArguments: upTo(13).map((n) => ({ type: 'positional', value: `${letters(at)}${n}.io` })),
      }),
    ),
  }),
  'arguments of runtimes': (size) => ({
    packages: upTo(size).map((at) =>
      npm(`p${at}`, {
        runtimeArguments: upTo(7).map((n) => ({
          type: 'named',
          name: '--x',
          value: `https://${letters(at)}${n}.io`,
        })),
      }),
    ),
  }),
  variables: (size) => ({
    packages: upTo(size).map((at) =>
      npm(`p${at}`, {
        environmentVariables: upTo(10).map((n) => ({
          name: `V${at}_${n}`,
          value: `https://${letters(at)}.io`,
        })),
      }),
    ),
  }),
  'values of variables': (size) => ({
    remotes: upTo(size).map((at) => ({
      type: 'streamable-http',
      url: `https://{h}.${letters(at)}.io/{a}/{b}`,
      variables: {
        h: { choices: upTo(15).map((n) => `c${n}`) },
        a: { choices: ['x', 'y'] },
        b: { default: 'z' },
      },
    })),
  }),
  packages: (size) => ({
    packages: upTo(3 * size).map((at) => npm(`@s${at}/p`, { environmentVariables: secrets(1, '') })),
  }),
  images: (size) => ({
    packages: upTo(size).map((at) => ({
      registryType: 'oci',
      identifier: `r.${letters(at)}.io/a/b:1.0.${at}`,
      transport: {
        type: 'streamable-http',
        url: `https://${letters(at)}.io/{p}`,
        variables: { p: { isRequired: true } },
      },
      runtimeHint: 'docker',
      environmentVariables: secrets(4, letters(at)),
    })),
  }),
};
