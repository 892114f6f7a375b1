export function ToolsPage(_props: object) { return null; }
