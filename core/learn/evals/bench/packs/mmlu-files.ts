import { DomainError } from '../../../../kernel/errors.ts'
import { LEARN_ERRORS } from '../../../errors.ts'
import { RecordReader, type TextRecord } from '../../../../compile/rows/table/text/records.ts'
import type { MmluQuestion } from './questions.ts'
import type { PackFile } from './unpack.ts'

const LETTERS = 'ABCD'
const BOUNDS = { columns: 6, chars: 200_000 }
const HEADER = ['question', 'A', 'B', 'C', 'D', 'answer'].join()
/** `test/abstract_algebra_test.csv`, with folders before it. */
const NAME = /(?:^|\/)(?<split>test|dev)\/(?<subject>[a-z0-9_]{1,100})_(?:test|dev)\.csv$/

/**
 * Reads `test/<subject>_test.csv` and `dev/<subject>_dev.csv`, without or with a line of names. Throws `bench_pack_invalid`
 * with file and line.
 */
export function readMmlu(files: readonly PackFile[]): readonly MmluQuestion[] {
  const found = files.flatMap(({ name, bytes }) => {
    const { split, subject } = NAME.exec(name)?.groups ?? {}
    if (subject === undefined || (split !== 'test' && split !== 'dev')) return []
    return [{ name, split, subject, bytes }] as const
  })
  if (found.length === 0) {
    throw LEARN_ERRORS.bench_pack_invalid('the pack has no file test/<subject>_test.csv')
  }
  return found
    .toSorted((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : a.split < b.split ? -1 : 1))
    .flatMap(({ name, split, subject, bytes }) =>
      recordsOf(name, bytes).map((record) => questionOf(name, record, { split, subject })),
    )
}

function recordsOf(name: string, bytes: Buffer): readonly TextRecord[] {
  const reader = new RecordReader(',', BOUNDS)
  try {
    const records = [...reader.read(bytes.toString('utf8')), ...reader.end()]
    return records[0]?.cells.join() === HEADER ? records.slice(1) : records
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw LEARN_ERRORS.bench_pack_invalid(`${name}: ${error.message}`, { cause: error })
  }
}

function questionOf(
  name: string,
  { cells, line }: TextRecord,
  of: Pick<MmluQuestion, 'split' | 'subject'>,
): MmluQuestion {
  const [question = '', a, b, c, d, letter = ''] = cells
  const answer = letter.length === 1 ? LETTERS.indexOf(letter) : -1
  if (a === undefined || b === undefined || c === undefined || d === undefined || answer < 0) {
    throw LEARN_ERRORS.bench_pack_invalid(
      `${name}, line ${line}: must be question,A,B,C,D,answer with the letter of the right choice`,
    )
  }
  return { ...of, question, choices: [a, b, c, d], answer }
}
