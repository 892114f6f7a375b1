import { verifyDirectory } from '../../index.ts';
import { type DoctorFinding, failed, ok } from './finding.ts';

const NAME = 'Stored data';

/**
 * Verifies every byte of a store: each checksum, each reference, each count. A server that uses the store is not
 * disturbed.
 */
export async function checkStore(directory: string): Promise<DoctorFinding[]> {
  let verified: Awaited<ReturnType<typeof verifyDirectory>>;
  try {
    verified = await verifyDirectory(directory);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'STORE_LOCKED')
      return [ok(NAME, 'a server uses it: stop that server to check every byte')];
    if (error instanceof Error && 'code' in error && error.code === 'PLANTED')
      return [failed(NAME, error.message, 'Ask who put it there before you start a server on the directory.')];
    return [failed(NAME, `${directory} can't be read: ${String(error)}`, 'Check the disk for errors.')];
  }
  if (verified === null || (verified.format === null && verified.findings.length === 0)) return [ok(NAME, 'none yet')];
  if (verified.format === 1) return [ok(NAME, 'written by mailcap 0.1; the next start converts it')];
  const errors = verified.findings.filter(({ level }) => level === 'error');
  const { messages, mailboxes, capturedRequests, segments, records } = verified;
  const counts = `${messages} messages, ${mailboxes} mailboxes, ${capturedRequests} captured requests`;
  if (errors.length === 0) return [ok(NAME, `${counts}: ${records} records in ${segments} segments are whole`)];
  return errors.map(({ path, offset, message }) =>
    failed(
      NAME,
      `${path}${offset === undefined ? '' : ` at byte ${offset}`} ${message}`,
      'Everything else is still served. Restore the file from a backup, if there is one.',
    ),
  );
}
