import type { Refused } from '../../writing/dialect.ts'

export const NESTED: Refused = { refused: 'it gives or takes an object or a list that is none of texts' }
export const DATES: Refused = { refused: 'Postgres reads and writes dates by other rules' }
export const NUMBERS: Refused = { refused: 'Postgres has other rules for numbers' }
export const TEXTS: Refused = { refused: 'Postgres has no such rule for texts' }
