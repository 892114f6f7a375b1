/** The head of a table. With `acts`, the last column has buttons and no name. */
export function Columns({ names, acts = false }: { readonly names: readonly string[]; readonly acts?: boolean }) {
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
        {acts && <td />}
      </tr>
    </thead>
  );
}
