import { hashJson } from '../../../../kernel/json/json.ts'
import { EvalsDocument } from '../../../archive/members/documents.ts'
import type { MemberName } from '../../../archive/members/members.ts'
import { decodeJson, parseDocument } from '../../../archive/members/members-json.ts'
import { VerifierDocument } from '../../../archive/schemas/verifier.ts'
import { unpackArchive, type UnpackedArchive } from '../../../archive/unpack.ts'
import { failedChecks } from '../../../stages/verifier/check-output.ts'
import type { Check } from '../../../stages/verifier/verifier-types.ts'
import { RowView } from '../../../wire/jobs/explain/rows.ts'
import type { FailedCheck, JudgedRow, RowContent } from '../judged-row.ts'
import { recordsOf, withReport, type RowResultRecord } from '../row-result.ts'
import type { ResultSources, RowSources } from './row-sources.ts'

/** The rows of an artifact with their content, and the checks of its verifier. */
export interface JoinedContent {
  readonly rows: readonly JudgedRow[]
  readonly checks: readonly Check[]
}

/** Unpacks the archive of the sources, and joins its content as `joinUnpacked` does. Throws `invalid_archive`. */
export async function joinContent({ archive, ...sources }: RowSources): Promise<JoinedContent> {
  return joinUnpacked(await unpackArchive(archive), sources)
}

/**
 * Returns the rows with their content: that of the archive, else that of the compile's report; of an evaluation its own.
 * Content counts only where its digests are those of the result, so that a row is never shown with an answer of another
 * recipe.
 */
export function joinUnpacked(
  { members }: UnpackedArchive,
  { records, report, evaluated }: Omit<RowSources, 'archive'>,
): JoinedContent {
  const documentOf = (name: MemberName) => decodeJson(members.get(name) ?? new Uint8Array(), name)
  const evals = parseDocument(EvalsDocument, documentOf('evals.json'), 'evals.json')
  const { checks } = parseDocument(VerifierDocument, documentOf('verifier.json'), 'verifier.json')
  if (evaluated !== undefined) {
    return { rows: records.map((record) => judgedRow(record, evaluated[record.rowId], checks)), checks }
  }
  const contents = new Map<string, RowContent>(report === null ? [] : contentsOf(report))
  for (const { id, input, expected, output } of evals.rows) contents.set(id, { input, expected, got: output })
  return { rows: records.map((record) => judgedRow(record, contents.get(record.rowId), checks)), checks }
}

/** Returns the results of the rows in an archive, with what the report of the compile's rows adds. */
export async function readRecords({ archive, report, namespace }: ResultSources): Promise<readonly RowResultRecord[]> {
  const { members } = await unpackArchive(archive)
  const document = decodeJson(members.get('evals.json') ?? new Uint8Array(), 'evals.json')
  const views = new Map(report === null ? [] : [...viewsOf(report)].map((view) => [view.id, view]))
  return recordsOf(parseDocument(EvalsDocument, document, 'evals.json'), namespace).map((record) => {
    const view = views.get(record.rowId)
    return view === undefined ? record : withReport(record, view, namespace)
  })
}

function* viewsOf(report: Uint8Array): Generator<RowView> {
  for (const line of Buffer.from(report).toString('utf8').split('\n')) {
    if (line !== '') yield RowView.parse(JSON.parse(line))
  }
}

function* contentsOf(report: Uint8Array): Generator<readonly [string, RowContent]> {
  for (const { id, right, input, expected, got } of viewsOf(report)) {
    if (right === null || input === undefined || expected === undefined) continue
    yield [id, { input, expected, ...(got === undefined ? {} : { got }) }]
  }
}

function judgedRow(record: RowResultRecord, found: RowContent | undefined, checks: readonly Check[]): JudgedRow {
  const { rowId: id, right, result, unlike, category } = record
  const content = found !== undefined && isOf(found, record) ? found : null
  return { id, right, result, unlike, category, content, failedChecks: checksOf(record, content, checks) }
}

function isOf({ input, expected, got }: RowContent, { rowHash, gotHash }: RowResultRecord): boolean {
  return hashJson({ input, expected }) === rowHash && got !== undefined && hashJson(got) === gotHash
}

function checksOf(
  record: RowResultRecord,
  content: RowContent | null,
  checks: readonly Check[],
): readonly FailedCheck[] {
  if (record.right || record.failedChecks.length > 0 || content?.got === undefined || content.got === null) {
    return record.failedChecks
  }
  const failed = new Set(failedChecks(checks, content.input, content.got))
  return checks
    .filter((check) => failed.has(check.id))
    .map(({ id, kind, path }) => ({ id, kind, path: path.map((name) => `/${name}`).join('') }))
}
