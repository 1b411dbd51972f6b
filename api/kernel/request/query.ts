import { invalidField } from '../../../core/kernel/errors.ts'

const MOST_PARAMETERS = 100

/** Throws `validation_failed` for a query of too many parameters: the time that parsing takes grows with their square. */
export function requireModestQuery(query: string): void {
  let parameters = 1
  for (let at = query.indexOf('&'); at !== -1; at = query.indexOf('&', at + 1)) {
    if (++parameters > MOST_PARAMETERS) throw invalidField('query', `has more than ${MOST_PARAMETERS} parameters`)
  }
}
