export function WaitingPage(_props: object) { return null; }
