export function WhyPage(_props: object) { return null; }
