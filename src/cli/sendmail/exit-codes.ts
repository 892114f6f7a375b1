/** Of sysexits.h, which callers of sendmail look at. */
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
