/** Reasons to skip a test that belongs to a system or to a user. Each is null if the test can run. */
export const NOT_LINUX: string | null = process.platform === 'linux' ? null : 'it needs Linux';
export const ON_WINDOWS: string | null = process.platform === 'win32' ? 'Windows has no such thing' : null;
export const NOT_ROOT: string | null = process.getuid?.() === 0 ? null : 'only root can be another user';
export const AS_ROOT: string | null = process.getuid?.() === 0 ? 'root may do what the test has refused' : null;
