/** Place of a row: its line of a text or row of a sheet, from 1, or its index in the `inputs` of a request, from 0. */
export type RowPlace = { readonly line: number } | { readonly index: number }

/** Returns the name of a place in messages. */
export function nameOfPlace(place: RowPlace): string {
  return 'line' in place ? `line[${place.line}]` : `inputs[${place.index}]`
}
