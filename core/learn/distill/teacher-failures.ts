import type { ProviderFailure } from '../../gateway/providers/provider-error.ts'

/** Unreadable answers in a row after which they say something about the teacher, such as a wrong address or dialect. */
const MOST_UNREADABLE = 3

/** What a failed question of a run to its teacher says of the next ones: `row` nothing, `teacher` that none will be answered. */
export type FailureScope = 'row' | 'teacher' | 'other'

/** Tells failures of one question from those of the teacher. */
export interface TeacherFailures {
  /** To be called for each answer that could be read. */
  answered: () => void
  scopeOf: (failure: ProviderFailure) => FailureScope
}

/** Begins without any failure: a refusal is of one row, and so is an unreadable answer up to the third in a row. */
export function countTeacherFailures(): TeacherFailures {
  let unreadable = 0
  return {
    answered() {
      unreadable = 0
    },
    scopeOf(failure) {
      if (failure === 'refused') return 'row'
      if (failure !== 'invalid_response') return 'other'
      unreadable++
      return unreadable < MOST_UNREADABLE ? 'row' : 'teacher'
    },
  }
}
