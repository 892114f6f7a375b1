import type { Config } from '../../config/options.ts';
import { readS3Place } from '../../config/s3-place.ts';
import { UserError } from '../../config/user-error.ts';
import { verifyDatabaseAt } from '../../index.ts';
import { type DoctorFinding, failed, ok } from './finding.ts';

const NAME = 'Stored data';

/** Verifies a store in a database: each row, reference and count. Servers can use it meanwhile. */
export async function checkDatabase(
  url: string,
  { storeBlobs, aws }: Pick<Config, 'aws' | 'storeBlobs'>,
): Promise<DoctorFinding[]> {
  let verified: Awaited<ReturnType<typeof verifyDatabaseAt>>;
  try {
    verified = await verifyDatabaseAt(url, (named) => readS3Place(storeBlobs ?? named, aws));
  } catch (error) {
    if (error instanceof UserError && /holds no store/.test(error.message)) return [ok(NAME, 'none yet')];
    if (error instanceof UserError) return [failed(NAME, error.message, 'Nothing was checked.')];
    const said = error instanceof Error ? error.message : String(error);
    return [failed(NAME, `the database can't read it: ${said}`, 'PostgreSQL has lost bytes: restore its backup.')];
  }
  const { faults, messages, mailboxes, capturedRequests, bodies, servers, hasChecksums } = verified;
  const now = servers === 0 ? 'no server uses it' : `${servers} ${servers === 1 ? 'server uses' : 'servers use'} it`;
  const counts = `${messages} messages, ${mailboxes} mailboxes, ${capturedRequests} captured requests`;
  const checksums = hasChecksums ? 'its pages have checksums' : 'its pages have no checksums (initdb -k makes them)';
  if (faults.length === 0)
    return [ok(NAME, `${counts}: all rows, references, counts and ${bodies} bodies are whole; ${checksums}; ${now}`)];
  return faults.map((fault) =>
    failed(NAME, fault, 'Everything else is still served. Restore the database from a backup, if there is one.'),
  );
}
