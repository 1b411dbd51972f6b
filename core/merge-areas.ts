type NamesIn<ByArea> = { [Area in keyof ByArea]: keyof ByArea[Area] }[keyof ByArea]

/** The entries of all areas in one record. */
export type Merged<ByArea> = {
  readonly [Name in NamesIn<ByArea>]: Extract<ByArea[keyof ByArea], Readonly<Record<Name, unknown>>>[Name]
}

/** Merges the records of all areas into one, in their order. Each name belongs to one area. */
export function mergeAreas<const ByArea extends Readonly<Record<string, object>>>(byArea: ByArea): Merged<ByArea> {
  return Object.assign({}, ...Object.values(byArea))
}
