/** The result of one check of `mailcap doctor`. */
export interface DoctorFinding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** A sentence that says how to fix it; null if nothing needs to be done. */
  readonly hint: string | null;
}

export function ok(check: string, message: string): DoctorFinding {
  return { check, status: 'ok', message, hint: null };
}

export function warning(check: string, message: string, hint: string): DoctorFinding {
  return { check, status: 'warning', message, hint };
}

export function failed(check: string, message: string, hint: string): DoctorFinding {
  return { check, status: 'failed', message, hint };
}
