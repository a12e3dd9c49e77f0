/** What a server that we start gets to know of our environment: nothing that may be a secret. */

const SAFE =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'COMSPEC',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'NUMBER_OF_PROCESSORS',
        'PATH',
        'PATHEXT',
        'PROCESSOR_ARCHITECTURE',
        'PROGRAMDATA',
        'PROGRAMFILES',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'TMP',
        'USERNAME',
        'USERPROFILE',
        'WINDIR',
      ]
    : ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER', 'XDG_RUNTIME_DIR'];

/** The safe few, and what the server is given by its settings. */
export function environmentFor(given: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = SAFE.flatMap((name) => {
    const value = process.env[name];
    // A shell's exported function is code.
    return value === undefined || value.startsWith('()') ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(inherited), ...given };
}
