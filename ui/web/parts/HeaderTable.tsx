import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';

/** A table of header fields in their order, including repeated ones. */
export function HeaderTable({ headers }: { readonly headers: readonly (readonly [string, string])[] }) {
  return (
    <table className="headers">
      <tbody>
        {headers.map(([name, value], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: header names can repeat
          <tr key={index}>
            <th scope="row">{harmlessLine(name, 120)}</th>
            <td>{harmlessText(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
