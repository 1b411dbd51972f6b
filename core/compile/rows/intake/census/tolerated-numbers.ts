import { invalidField } from '../../../../kernel/errors.ts'
import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'
import { EACH } from '../../equality/equality.ts'
import { pathPhrase, type Tolerance } from '../../equality/tolerance.ts'

/** Finds out whether outputs have a number at the path of each tolerance. */
export class ToleratedNumbers {
  /** Tolerances without a number so far, each with its place in the list of the caller. */
  #open: readonly { readonly place: number; readonly path: readonly string[] }[]

  constructor(tolerances: readonly Tolerance[]) {
    this.#open = tolerances.map(({ path }, place) => ({ place, path }))
  }

  add(output: Json): void {
    if (this.#open.length === 0) return
    this.#open = this.#open.filter(({ path }) => !hasNumberAt(output, path))
  }

  /** Throws `validation_failed` for a tolerance without a number in any output. */
  check(): void {
    const [first] = this.#open
    if (first === undefined) return
    const where =
      first.path.length === 0 ? 'no output is a number' : `no output has a number at ${pathPhrase(first.path)}`
    throw invalidField(`tolerances[${first.place}].path`, `${where}, so there is nothing to tolerate`)
  }
}

function hasNumberAt(value: Json, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return typeof value === 'number'
  if (isJsonObject(value)) {
    const member = Object.hasOwn(value, step) ? value[step] : undefined
    return member !== undefined && hasNumberAt(member, rest)
  }
  return step === EACH && Array.isArray(value) && value.some((item: Json) => hasNumberAt(item, rest))
}
