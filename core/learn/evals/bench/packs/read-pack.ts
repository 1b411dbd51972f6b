import type { z } from 'zod'
import { sha256, type JsonObject, type Sha256 } from '../../../../kernel/json/json.ts'
import { LEARN_ERRORS } from '../../../errors.ts'
import type { Benchmark } from '../benchmarks.ts'
import { questionText } from './question-text.ts'
import { HumanEvalTask, MmluQuestion, MtBenchQuestion } from './questions.ts'
import { readMmlu } from './mmlu-files.ts'
import { unpackPack, type PackFile } from './unpack.ts'

/** A pack as it is stored: its questions as JSON lines. */
export interface ReadPack {
  /** SHA-256 of the file as it was given. */
  readonly fileSha256: Sha256
  readonly questions: number
  /** JSON lines, one for each question or example. */
  readonly lines: Uint8Array
  readonly sha256: Sha256
}

/** A file to read as a pack. */
export interface GivenPack {
  readonly benchmark: Benchmark
  readonly bytes: Uint8Array
  /** Bytes of all files together at most, inflated. */
  readonly maxBytes: number
}

/**
 * Reads a pack in the format of the benchmark's official files: CSV files of MMLU in a tar or zip, `HumanEval.jsonl`,
 * `question.jsonl` of MT-Bench; each may be compressed by gzip. Throws `bench_pack_invalid` with file and line, `bench_pack_empty`,
 * `bench_pack_too_large` and `bench_pack_link_rejected`.
 */
export async function readPack({ benchmark, bytes, maxBytes }: GivenPack): Promise<ReadPack> {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const files = await unpackPack(given, maxBytes)
  const rows = benchmark === 'mmlu' ? readMmlu(files) : readLines(files, SCHEMAS[benchmark])
  const questions = benchmark === 'mmlu' ? rows.filter(({ split }) => split === 'test').length : rows.length
  if (questions === 0) throw LEARN_ERRORS.bench_pack_empty('the pack has no questions')
  const lines = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return { fileSha256: sha256(given), questions, lines, sha256: sha256(lines) }
}

/** The official id of a task or question, as text. */
function idOf(row: JsonObject): string {
  const id = row['task_id'] ?? row['question_id']
  return typeof id === 'string' || typeof id === 'number' ? String(id) : ''
}

const SCHEMAS = { humaneval: HumanEvalTask, mtbench: MtBenchQuestion } as const

function readLines(files: readonly PackFile[], schema: z.ZodType<JsonObject>): readonly JsonObject[] {
  const file = files.find(({ name }) => name === '' || name.endsWith('.jsonl'))
  if (file === undefined) throw LEARN_ERRORS.bench_pack_invalid('the pack has no .jsonl file')
  const ids = new Set<string>()
  return file.bytes
    .toString('utf8')
    .split('\n')
    .flatMap((text, index): readonly JsonObject[] => {
      if (text.trim() === '') return []
      const place = `${file.name === '' ? '' : `${file.name}, `}line ${index + 1}`
      const parsed = schema.safeParse(parseJson(text, place))
      if (!parsed.success) {
        const [issue] = parsed.error.issues
        throw LEARN_ERRORS.bench_pack_invalid(
          `${place}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is wrong'}`,
        )
      }
      const id = idOf(parsed.data)
      if (ids.has(id)) throw LEARN_ERRORS.bench_pack_invalid(`${place}: ${id.slice(0, 100)} stands twice`)
      ids.add(id)
      return [parsed.data]
    })
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw LEARN_ERRORS.bench_pack_invalid(`${place}: is no JSON`, { cause })
  }
}

/** Returns the texts of the questions of a stored pack, by which they are found in the rows of a dataset. */
export function questionTexts(benchmark: Benchmark, lines: Uint8Array): readonly string[] {
  return linesOf(lines).map((value) => questionText(QUESTIONS[benchmark].parse(value)))
}

const QUESTIONS = { mmlu: MmluQuestion, ...SCHEMAS }

function linesOf(lines: Uint8Array): readonly unknown[] {
  return new TextDecoder()
    .decode(lines)
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
}

/** Returns the questions of a stored pack. */
export function storedQuestions(benchmark: 'mmlu', lines: Uint8Array): readonly MmluQuestion[]
export function storedQuestions(benchmark: Benchmark, lines: Uint8Array): readonly JsonObject[]
export function storedQuestions(benchmark: Benchmark, lines: Uint8Array): readonly JsonObject[] {
  const schema: z.ZodType<JsonObject> = QUESTIONS[benchmark]
  return linesOf(lines).map((value) => schema.parse(value))
}
