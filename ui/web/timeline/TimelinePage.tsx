export function TimelinePage(_props: object) { return null; }
