export function AuthenticatorsPage(_props: object) { return null; }
