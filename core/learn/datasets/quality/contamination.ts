import { foldedWords } from '../../../compile/rows/split/input-text.ts'
import { KeyTable, shortHash } from '../../../compile/rows/intake/census/key-table.ts'
import { MOST_NAMED, type Contamination } from './quality-report.ts'

/** Words of a run that two texts must share (Brown et al. 2020, appendix C). */
const RUN_WORDS = 13

/** Runs of 13 words of held-out texts, with which other texts are compared. */
export class HeldRuns {
  readonly #runs = new KeyTable()
  #heldRows = 0
  #rows = 0
  #contaminated = 0
  readonly #ids: string[] = []

  /** Takes the text of a held-out row. */
  hold(text: string): void {
    this.#heldRows++
    for (const run of runsOf(text)) this.#runs.put(shortHash(run), 0)
  }

  /** Compares the text of a row to learn from. */
  compare(id: string, text: string): void {
    this.#rows++
    for (const run of runsOf(text)) {
      if (!this.#runs.has(shortHash(run))) continue
      this.#contaminated++
      if (this.#ids.length < MOST_NAMED) this.#ids.push(id)
      return
    }
  }

  /** Returns what was found. */
  report(): Contamination {
    return {
      words: RUN_WORDS,
      train_rows: this.#rows,
      held_rows: this.#heldRows,
      contaminated: this.#contaminated,
      row_ids: this.#ids,
    }
  }
}

function* runsOf(text: string): Generator<string> {
  const words = foldedWords(text)
  for (let at = 0; at + RUN_WORDS <= words.length; at++) yield words.slice(at, at + RUN_WORDS).join(' ')
}
