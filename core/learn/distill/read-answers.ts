/** Unreadable answers in a row that say something about the teacher, such as a wrong address or dialect. */
const MOST_UNREADABLE = 3

/** Tells an answer that cannot be read from a teacher whose answers cannot be read. */
export interface ReadAnswers {
  /** Counts an answer that could be read. */
  read: () => void
  /** Counts one that could not. Returns true from the third in a row on: the next will be no better. */
  unreadable: () => boolean
}

/** Begins with no answers. */
export function countAnswers(): ReadAnswers {
  let inRow = 0
  return {
    read() {
      inRow = 0
    },
    unreadable: () => ++inRow >= MOST_UNREADABLE,
  }
}
