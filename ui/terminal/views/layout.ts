export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** How a screen is divided. */
export interface Layout extends Size {
  /** There is room for a line under the header. */
  readonly spacious: boolean;
  /** Rows between the lines at the top and those at the bottom. */
  readonly height: number;
  /** List and what is open stand side by side. */
  readonly split: boolean;
  readonly listWidth: number;
  readonly detailWidth: number;
}

const SPLIT_FROM = 100;
const SPACIOUS_FROM = 18;

export function layoutOf({ columns, rows }: Size): Layout {
  const spacious = rows >= SPACIOUS_FROM;
  const split = columns >= SPLIT_FROM;
  const listWidth = split ? Math.max(50, Math.min(96, Math.floor(columns * 0.48))) : columns;
  const height = Math.max(1, rows - (spacious ? 5 : 3));
  const detailWidth = split ? columns - listWidth - 1 : columns;
  return { columns, rows, spacious, height, split, listWidth, detailWidth };
}
