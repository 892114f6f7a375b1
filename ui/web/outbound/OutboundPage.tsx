export function OutboundPage(_props: object) { return null; }
