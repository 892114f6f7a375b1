/** The exit codes of sysexits.h. Callers of sendmail check them. */
export const EX = {
  ok: 0,
  usage: 64,
  dataErr: 65,
  noUser: 67,
  unavailable: 69,
  ioErr: 74,
  tempFail: 75,
  noPerm: 77,
  config: 78,
} as const;
