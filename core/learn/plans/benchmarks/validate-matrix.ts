import { isJsonObject, sha256, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { EVIDENCE_LANES, MATRIX_SPEC, OWN_LANE, type FieldForm } from './lanes.ts'

const LEAST_SCORING = 24
const LEAST_COMMAND = 12
const MOST_FAILURES = 500
const HASH = /^(?:sha256:)?[0-9a-f]{64}$/
const ZERO_HASH = /^(?:sha256:)?0{64}$/
const REPORT = /^reports\/benchmarks\/[A-Za-z0-9_-][A-Za-z0-9_.-]*\.jsonl?$/
const RAW_KEY = /^(?:prompt|input|output|completion|response|raw_(?!output_hash$|data_policy$).*)s?$/i
const SECRET =
  /\b(?:sk|ks|pk|rk|ghp|xox[a-z])[-_][A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY|\bBearer\s+\S{16,}/
const FORBIDS = /\b(?:no|never|without|forbid\w*|not)\b/i

/** The facts of a tenant's own signed artifact, for the own lane. */
export interface SignedArtifact {
  readonly artifactHash: string
  readonly kScore: number
  readonly sizeBytes: number
}

/** Which lanes follow from a signed evaluation, and what is wrong. */
export interface MatrixVerdict {
  readonly ok: boolean
  /** `<lane>:<field>:<reason>`; of the matrix itself the lane is `matrix`, `methodology` or `publication`. */
  readonly failures: readonly string[]
  readonly lanes: readonly { readonly id: string; readonly basis: 'measured' | 'asserted' | 'missing' }[]
}

/**
 * Validates a matrix of benchmark evidence (reference: POST /v1/eval/benchmark-evidence/validate). The own lane is measured
 * when it names an artifact of the tenant and repeats what was signed; every other lane is asserted.
 */
export function validateMatrix(matrix: JsonObject, signed: SignedArtifact | null): MatrixVerdict {
  const rows = Array.isArray(matrix['lanes']) ? matrix['lanes'] : []
  const named = rows.map((row) => (isJsonObject(row) && typeof row['lane'] === 'string' ? row['lane'] : ''))
  const known = EVIDENCE_LANES.map(({ id }) => id)
  const failures = [
    ...headFailures(matrix),
    ...publicationFailures(matrix),
    ...named.flatMap((id, i) => {
      if (!known.includes(id)) return [`${id === '' ? `lanes.${i}` : id}:lane:unknown`]
      return named.indexOf(id) < i ? [`${id}:lane:duplicate`] : []
    }),
    ...EVIDENCE_LANES.flatMap(({ id, fields }) => laneFailures(id, fields, rowOf(rows, id))),
    ...(signed === null ? [] : signedFailures(rowOf(rows, OWN_LANE), signed)),
    ...scan(matrix, []),
  ]
  const ownFails = failures.some((failure) => failure.startsWith(`${OWN_LANE}:`))
  return {
    ok: failures.length === 0,
    failures: failures.slice(0, MOST_FAILURES),
    lanes: known.map((id) => {
      if (rowOf(rows, id) === undefined) return { id, basis: 'missing' }
      return { id, basis: id === OWN_LANE && signed !== null && !ownFails ? 'measured' : 'asserted' }
    }),
  }
}

function rowOf(rows: readonly Json[], id: string): JsonObject | undefined {
  return rows.filter(isJsonObject).find((row) => row['lane'] === id)
}

function headFailures(matrix: JsonObject): readonly string[] {
  const methodology = isJsonObject(matrix['methodology']) ? matrix['methodology'] : {}
  const { dataset_version: version, scoring, raw_data_policy: policy } = methodology
  const forbids = typeof policy === 'string' && FORBIDS.test(policy) && /prompt/i.test(policy) && /output/i.test(policy)
  return [
    ...(matrix['spec'] === MATRIX_SPEC ? [] : ['matrix:spec:wrong']),
    ...(matrix['secret_values_included'] === false ? [] : ['matrix:secret_values_included:must_be_false']),
    ...(timeOf(matrix['generated_at']) === null ? ['matrix:generated_at:not_a_time'] : []),
    ...(Array.isArray(matrix['lanes']) ? [] : ['matrix:lanes:missing']),
    ...(typeof version === 'string' && version !== '' ? [] : ['methodology:dataset_version:missing']),
    ...(typeof scoring === 'string' && scoring.length >= LEAST_SCORING ? [] : ['methodology:scoring:too_short']),
    ...(forbids ? [] : ['methodology:raw_data_policy:must_forbid_raw_prompts_and_outputs']),
  ]
}

function publicationFailures(matrix: JsonObject): readonly string[] {
  const publication = isJsonObject(matrix['publication']) ? matrix['publication'] : {}
  const reports = isJsonObject(publication['report_paths']) ? publication['report_paths'] : {}
  const { leaderboard_url: url, reproducer_command: command, reproducer_command_sha256: digest } = publication
  const generated = timeOf(matrix['generated_at'])
  const expires = timeOf(publication['freshness_expires_at'])
  const isCommand = typeof command === 'string' && command.length >= LEAST_COMMAND
  return [
    ...(typeof url === 'string' && URL.canParse(url) && url.startsWith('https://')
      ? []
      : ['publication:leaderboard_url:not_https']),
    ...EVIDENCE_LANES.filter(({ id }) => !isReportPath(reports[id])).map(
      ({ id }) => `${id}:report_path:not_under_reports_benchmarks`,
    ),
    ...(isCommand ? [] : ['publication:reproducer_command:too_short']),
    ...(isCommand && digest !== sha256(Buffer.from(command)) && digest !== bare(sha256(Buffer.from(command)))
      ? ['publication:reproducer_command_sha256:does_not_match']
      : []),
    ...(expires === null || generated === null || expires <= generated
      ? ['publication:freshness_expires_at:not_after_generated_at']
      : []),
  ]
}

function bare(digest: string): string {
  return digest.slice('sha256:'.length)
}

function isReportPath(path: Json | undefined): boolean {
  return typeof path === 'string' && REPORT.test(path)
}

function laneFailures(
  id: string,
  fields: Readonly<Record<string, FieldForm>>,
  row: JsonObject | undefined,
): readonly string[] {
  if (row === undefined) return [`${id}:lane:missing`]
  const { latency_p50_ms: p50, latency_p95_ms: p95 } = row
  return [
    ...Object.entries(fields).flatMap(([name, form]) => {
      const reason = faultOf(row[name], form)
      return reason === null ? [] : [`${id}:${name}:${reason}`]
    }),
    ...(typeof p50 === 'number' && typeof p95 === 'number' && p95 < p50 ? [`${id}:latency_p95_ms:below_p50`] : []),
  ]
}

function faultOf(value: Json | undefined, form: FieldForm): string | null {
  if (value === undefined || value === null || value === '') return 'missing'
  if (form === 'hash') {
    if (typeof value !== 'string' || !HASH.test(value)) return 'not_a_sha256'
    return ZERO_HASH.test(value) ? 'all_zero' : null
  }
  if (form === 'text') return typeof value === 'string' ? null : 'not_a_text'
  if (typeof value !== 'number') return 'not_a_number'
  if (value < 0) return 'negative'
  return form === 'score' && value > 1 ? 'outside_0_to_1' : null
}

/** Returns the contradictions between a row and the signed artifact. */
function signedFailures(row: JsonObject | undefined, { kScore, sizeBytes }: SignedArtifact): readonly string[] {
  if (row === undefined) return []
  const { k_score: score, size_bytes: size } = row
  return [
    ...(typeof score === 'number' && Math.abs(score - kScore) > 1e-4
      ? [`${OWN_LANE}:k_score:differs_from_signed`]
      : []),
    ...(typeof size === 'number' && size !== sizeBytes ? [`${OWN_LANE}:size_bytes:differs_from_signed`] : []),
  ]
}

/** Raw texts and secrets anywhere in the matrix; the lane is that of the row, or `matrix`. */
function scan(value: Json, path: readonly string[], lane = 'matrix'): readonly string[] {
  if (typeof value === 'string') return SECRET.test(value) ? [`${lane}:${path.join('.')}:looks_like_a_secret`] : []
  if (value === null || typeof value !== 'object') return []
  if (!isJsonObject(value)) return value.flatMap((item, i) => scan(item, [...path, String(i)], lane))
  const own = typeof value['lane'] === 'string' ? value['lane'] : lane
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(RAW_KEY.test(name) ? [`${own}:${name}:raw_text_not_allowed`] : []),
    ...scan(inner, [...path, name], own),
  ])
}

function timeOf(value: Json | undefined): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T/.test(value)) return null
  const time = Date.parse(value)
  return Number.isNaN(time) ? null : time
}
