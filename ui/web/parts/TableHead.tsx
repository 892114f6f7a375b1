/** The names of the columns above a list that is drawn as a table. Each row tells its own parts to a screen reader. */
export function TableHead({
  names,
  className = '',
}: {
  readonly names: readonly string[];
  readonly className?: string;
}) {
  return (
    <div className={`table-head ${className}`} aria-hidden="true">
      {names.map((name) => (
        <span key={name}>{name}</span>
      ))}
    </div>
  );
}
