/** The result of one check of `mailcap doctor`. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** A sentence that says how to fix it; null if nothing needs to be done. */
  readonly hint: string | null;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, hint: null };
}

export function warning(check: string, message: string, hint: string): Finding {
  return { check, status: 'warning', message, hint };
}

export function failed(check: string, message: string, hint: string): Finding {
  return { check, status: 'failed', message, hint };
}
