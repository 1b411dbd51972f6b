import { invalidField, type DomainError } from '../../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../../errors.ts'
import type { Row } from '../../task.ts'
import { KeyTable, type ShortHash } from './key-table.ts'

const MAX_NAMED = 20
/** Tags of the two sides: a table of keys ignores the lowest bit of a tag. */
const LEARN = 0
const TEST = 2

/** Checks over a whole dataset that test rows leave others to learn from, and that no input is on both sides. */
export class TestRows {
  readonly #sides = new KeyTable()
  readonly #leaks: string[] = []
  #learned = 0
  #tests = 0

  /** Takes the next row. @param input the hash of its canonical input */
  add({ id, kind }: Row, input: ShortHash): void {
    if (kind === 'test') this.#tests++
    else this.#learned++
    const { firstConflict } = this.#sides.put(input, kind === 'test' ? TEST : LEARN)
    if (firstConflict) this.#leaks.push(id)
  }

  /** Throws `no_examples` when all rows are test rows, and `train_holdout_leakage` when an input is on both sides. */
  check(): void {
    if (this.#tests > 0 && this.#learned === 0) {
      const message = "all of them are of kind 'test', so there is none to learn from; leave some unmarked"
      throw invalidField('examples', message, COMPILE_ERRORS.no_examples)
    }
    if (this.#leaks.length > 0) throw leak(this.#leaks)
  }
}

function leak(ids: readonly string[]): DomainError {
  const message = (id: string) =>
    `${id}: its input is that of a test row and of a row to learn from; remove one of them`
  return COMPILE_ERRORS.train_holdout_leakage(
    `examples: ${ids.length} inputs are those of a test row and of a row to learn from: ${ids.slice(0, MAX_NAMED).join(', ')}`,
    {
      details: {
        fields: ids.slice(0, MAX_NAMED).map((id) => ({ field: 'examples', message: message(id) })),
        input_overlap: ids.length,
      },
    },
  )
}
