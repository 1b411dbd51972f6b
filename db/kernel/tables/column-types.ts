import pg from 'pg'

/** Rows have `Date` for timestamptz and `number` for bigint, which the service keeps below 2^53. */
export function columnTypes(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text: string) => new Date(text))
  types.setTypeParser(pg.types.builtins.INT8, Number)
  return types
}
