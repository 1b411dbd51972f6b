import { invalidField } from '../../../core/kernel/errors.ts'
import type { RowContent } from '../../../core/learn/datasets/rows/row-content.ts'
import { preferenceOf } from '../../../core/learn/distill/pairs.ts'

/** Returns what refuses a row of which an objective learns nothing: `validation_failed` with the place of the row. */
export function requirePreference(objective: string): (content: RowContent, field: string) => void {
  const isKto = objective === 'kto'
  return ({ type, form, row }, field) => {
    if (type !== 'preference' && !(type === 'unpaired' && isKto)) {
      const other = isKto ? ', or prompt, completion and label' : ''
      throw invalidField(field, `must have prompt, chosen and rejected${other}`)
    }
    if (form === 'messages') throw invalidField(field, 'has messages; texts are needed')
    if (preferenceOf(row) === null) throw invalidField(`${field}.prompt`, 'is required')
  }
}
