// Loaded where there is a file system, which is asked of the process, as in find-server.ts.

/**
 * Makes the empty file of a step, `<end>-<fingerprint>`, which one process alone can: false where it is there. Those of steps that ended
 * before `forgottenBefore` go. Where no file can be written it is true: this process's own memory is then all there is.
 */
export async function takeFile(name: string, forgottenBefore: number): Promise<boolean> {
  const { mkdir, readdir, rm, writeFile } = process.getBuiltinModule('node:fs/promises');
  const { tmpdir } = process.getBuiltinModule('node:os');
  const { join } = process.getBuiltinModule('node:path');
  // A temporary directory may be everybody's, and a file in it somebody's.
  const directory = join(tmpdir(), `mailcap-steps-${process.getuid?.() ?? 'user'}`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const old = (await readdir(directory)).filter((other) => Number.parseInt(other, 10) < forgottenBefore);
    await Promise.all(old.map((other) => rm(join(directory, other), { force: true })));
    await writeFile(join(directory, name), '', { flag: 'wx' });
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'EEXIST');
  }
}
