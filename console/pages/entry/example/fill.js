import { call, get, open } from '../../../api.js'
import { followEvents } from '../../../parts/read/event-stream.js'
import { answerOf, delimiterOf, givenColumns, openRecords } from '../../artifacts/batch/csv.js'
import { openWorkspace } from './workspace.js'
/** @typedef {import('../../compile/use-preview.js').Preview} Preview */
/** @typedef {import('../../compile/use-preview.js').Mapping} Mapping */
/** @typedef {import('../../jobs/job.js').Job} Job */
/** @typedef {import('./cells.js').Cells} Cells */
/** @typedef {import('./cells.js').Row} Row */

const KINDS = ['hello', 'step.start', 'step.end', 'progress', 'metric', 'done', 'gated', 'error']
const LAST = ['done', 'gated', 'error']

/**
 * Rows that were given, and how they are read.
 *
 * @typedef {{ file: File, mapping: Mapping, preview: Preview }} Given
 */

/**
 * Compiles the rows that have an answer, in the workspace of this browser. Resolves to the job once it has ended.
 *
 * @param {Given} given
 * @param {{ signal: AbortSignal, key: string, onEvent: (kind: string, data: any) => void }} how `key` makes one job of
 *   several attempts
 * @returns {Promise<Job>}
 */
export async function compileRows({ file, mapping, preview }, { signal, key, onEvent }) {
  await openWorkspace()
  const isTable = preview.format === 'csv' || preview.format === 'sheet'
  const body = new FormData()
  const spec = {
    task: taskOf(preview),
    mode: 'async',
    ...(isTable && { mapping }),
  }
  body.set('spec', JSON.stringify(spec))
  body.set('file', file)
  /** @type {{ job_id: string }} */
  const { job_id: id } = await call('POST', '/v1/compile', body, { signal, headers: { 'Idempotency-Key': key } })
  const read = async () => /** @type {Job} */ (await get(`/v1/compile/${id}`, signal))
  await new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    followEvents({
      path: `/v1/compile/stream/${id}`,
      kinds: KINDS,
      signal,
      onEvent(kind, data) {
        onEvent(kind, data)
        if (LAST.includes(kind)) resolve(undefined)
        return LAST.includes(kind)
      },
      onCut: (isCut) => onEvent('cut', { isCut }),
      look: async () => {
        const isOver = !['queued', 'running'].includes((await read()).status)
        if (isOver) resolve(undefined)
        return !isOver
      },
      isFinal: () => true,
      onError: reject,
    })
  })
  return await read()
}

/**
 * The task in words, where the person wrote none.
 *
 * @param {Preview} preview
 */
function taskOf({ input: { columns }, output: { column } }) {
  return `Fill the column ${column ?? 'output'} from ${columns.join(', ') || 'the input'}`.slice(0, 400)
}

/**
 * Runs the artifact of a job on every row, and yields the table as it fills. Rows that came with an answer keep it.
 *
 * @param {Given} given
 * @param {string} versionId
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Cells>}
 */
export async function* fillRows({ file, mapping, preview }, versionId, signal) {
  const response = await open('POST', '/v1/run/batch', batchOf(file, { mapping, preview, versionId }), {
    signal,
    headers: { Accept: 'text/csv, application/json' },
  })
  const count = Number(response.headers.get('X-Svc-Batch-Rows'))
  const records = openRecords()
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  /** @type {Row[]} */
  const rows = []
  let delimiter = ','
  let columns = /** @type {readonly string[]} */ ([])
  let answerAt = -1
  for (;;) {
    const { done, value = '' } = (await reader?.read()) ?? { done: true }
    if (done) return
    for (const record of records.push(value)) {
      if (columns.length === 0) {
        delimiter = delimiterOf(record)
        columns = givenColumns(record, delimiter)
        answerAt = columns.indexOf(preview.output.column ?? '')
      } else rows.push(rowOf(answerOf(record, delimiter), answerAt))
    }
    // A table without a column for the answer gets one.
    yield answerAt === -1
      ? { columns: [...columns, 'answer'], answerAt: columns.length, rows: [...rows], count }
      : { columns, answerAt, rows: [...rows], count }
  }
}

/**
 * @param {File} file
 * @param {{ mapping: Mapping, preview: Preview, versionId: string }} how
 */
function batchOf(file, { mapping: { sheet, delimiter, encoding, ragged }, preview, versionId }) {
  const { header, input, format } = preview
  const isTable = format === 'csv' || format === 'sheet'
  const read = {
    input: input.columns,
    header: header.present,
    ...(sheet !== undefined && { sheet }),
    ...(delimiter !== undefined && { delimiter }),
    ...(encoding !== undefined && { encoding }),
    ...(ragged !== undefined && { ragged }),
  }
  const body = new FormData()
  body.set('spec', JSON.stringify({ version_id: versionId, format: 'csv', ...(isTable && { mapping: read }) }))
  body.set('file', file)
  return body
}

/**
 * @param {import('../../artifacts/batch/csv.js').Answer} answer
 * @param {number} answerAt
 * @returns {Row}
 */
function rowOf({ given, output, hasAbstained, isUnlike, error, errorCode }, answerAt) {
  if ((given[answerAt] ?? '').trim() !== '') return { cells: given }
  if (errorCode !== '') return { cells: given, why: error }
  if (hasAbstained) return { cells: given, why: 'no answer' }
  return { cells: given, filled: output, isUnlike }
}
