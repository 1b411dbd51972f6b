import { LEAST_PREFERENCES, tooFew } from '../../../compile/stages/lora/training-rows.ts'
import { invalidField } from '../../../kernel/errors.ts'
import type { RowContent } from '../../datasets/rows/row-content.ts'
import { preferenceOf } from '../pairs.ts'
import { TRAIN_RATIO } from '../train-ratio.ts'
import type { PreferenceRequest } from '../request.ts'

/** Checks the rows of a file that an objective learns from, and counts those that have an unwanted answer. */
export class PreferenceCheck {
  readonly #isKto: boolean
  #unwanted = 0

  constructor(objective: PreferenceRequest['objective']) {
    this.#isKto = objective === 'kto'
  }

  /** Takes a row. Throws `validation_failed` with its place where the objective learns nothing of it. */
  readonly add = ({ type, form, row }: RowContent, field: string): void => {
    if (type !== 'preference' && !(type === 'unpaired' && this.#isKto)) {
      const other = this.#isKto ? ', or prompt, completion and label' : ''
      throw invalidField(field, `must have prompt, chosen and rejected${other}`)
    }
    if (form === 'messages') throw invalidField(field, 'has messages; texts are needed')
    const preference = preferenceOf(row)
    if (preference === null) throw invalidField(`${field}.prompt`, 'is required')
    if (preference.rejected !== null) this.#unwanted++
  }

  /** Throws `too_few_preferences` where too few rows with an unwanted answer would be left to learn from. */
  requireEnough(): void {
    requireEnough(this.#unwanted, this.#isKto ? 'unwanted answers' : 'pairs')
  }
}

/** Throws `too_few_preferences` where a fifth of the rows, held out, leaves too few to learn from. */
export function requireEnough(rows: number, what: string): void {
  if (rows * TRAIN_RATIO < LEAST_PREFERENCES) throw tooFew(Math.floor(rows * TRAIN_RATIO), what)
}
